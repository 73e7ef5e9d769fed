function x = model_settle(t, x, u, p, m)
% The state with dependent positions and velocities solved for: h(q, t) = 0 by Newton's method, then
% J v = b. Dependent coordinates are those with the largest pivots of J, so that the others determine
% them well.
nq = m.sizes(1);
n = m.sizes(2);
before = Inf;
for k = 1:50
  [h, J] = model_constraints(t, x, u, p, m);
  size_of_h = max([0; abs(h)]);
  if size_of_h <= 1e-13 || (size_of_h < 1e-9 && size_of_h > 0.5 * before)
    break
  end
  before = size_of_h;
  J = J(m.holonomic, :);
  dependent = dependent_of(J);
  step = zeros(n, 1);
  step(dependent) = -(J(:, dependent) \ h);
  x(1:nq) = model_displace(x, step, t, u, p, m);
end
[h, J] = model_constraints(t, x, u, p, m);
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

function dependent = dependent_of(J)
[~, ~, order] = qr(J, 0);
dependent = sort(order(1:rank(J)));
end
