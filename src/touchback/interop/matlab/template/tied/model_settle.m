function x = model_settle(t, x, u, p, m)
% The state with dependent positions and velocities solved for: h(q, t) = 0 by Newton's method, then
% J v = b. Dependent coordinates are those with the largest pivots of J, so that the others determine
% them well.
nq = m.sizes(1);
n = m.sizes(2);
before = Inf;
for k = 1:50
  [h, J] = closed(t, x, u, p, m);
  size_of_h = max([0; abs(h)]);
  if size_of_h <= 1e-13 || (size_of_h < 1e-9 && size_of_h > 0.5 * before)
    break
  end
  before = size_of_h;
  J = J(m.holonomic, :);
  dependent = dependent_of(J);
  step = zeros(n, 1);
  step(dependent) = -(J(:, dependent) \ h);
  x(1:nq) = moved(x, step, t, u, p, m);
end
[h, J] = closed(t, x, u, p, m);
if ~all(abs(h) < 1e-6)
  error('model:open', 'At %g s the constraints can''t be met: %g m (or rad) stay open.', t, max(abs(h)));
end
b = zeros(m.rows, 1);
if m.moving
  b = equations_velocity_level(x, [t; u], p);
end
v = x(nq + (1:n));
dependent = dependent_of(J);
free = setdiff(1:n, dependent);
v(dependent) = J(:, dependent) \ (b - J(:, free) * v(free));
x(nq + (1:n)) = v;
end

function [h, J] = closed(t, x, u, p, m)
out = equations_positions(x, [t; u], p);
h = out(1:m.rows);
h = h(m.holonomic);
J = zeros(m.rows, m.sizes(2));
J(sub2ind(size(J), m.J_rows, m.J_columns)) = out(m.rows + 1:end);
end

function dependent = dependent_of(J)
[~, ~, order] = qr(J, 0);
dependent = sort(order(1:rank(J)));
end

function q = moved(x, step, t, u, p, m)
q = x(1:m.sizes(1));
if m.plain
  q = q + step;
else
  q = q + equations_configuration_rate([q; step; x(sum(m.sizes(1:2)) + 1:end)], [t; u], p);
end
end
