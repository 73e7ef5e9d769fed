function [rate, a, lambda] = model_rate(t, x, u, p, m)
% dx/dt of x = [positions; velocities; other states], with the accelerations and multipliers of
%
%   M a = f + W' lambda,   J a = -gamma
%
% at the state that model_settle makes of x: dependent coordinates follow the independent ones.
x = model_settle(t, x, u, p, m);
n = m.sizes(2);
rows = m.rows;
out = equations_terms(x, [t; u], p);
gamma = out(2 * rows + 1:3 * rows);
at = 3 * rows;
J = matrix(out(at + (1:numel(m.J_rows))), m.J_rows, m.J_columns, rows, n);
at = at + numel(m.J_rows);
W = J;
if ~isempty(m.W_rows)
  W = matrix(out(at + (1:numel(m.W_rows))), m.W_rows, m.W_columns, rows, n);
  at = at + numel(m.W_rows);
end
M = matrix(out(at + (1:numel(m.M_rows))), m.M_rows, m.M_columns, n, n);
M = M + tril(M, -1)';
at = at + numel(m.M_rows);
f = out(at + (1:n));
K = [M, -W'; J, zeros(rows)];
right = [f; -gamma];
if rows > 0 && rank(J, 1e-9 * norm(J)) < rows % the least forces where rows say the same
  solution = pinv(K) * right;
  a = solution(1:n);
  lambda = pinv(W', 1e-9 * norm(W)) * (M * a - f);
else
  solution = K \ right;
  a = solution(1:n);
  lambda = solution(n + 1:end);
end
rate = [turned(x, t, u, p, m); a; out(at + n + 1:end)];
end

function rate = turned(x, t, u, p, m)
if m.plain
  rate = x(m.sizes(1) + (1:m.sizes(2)));
else
  rate = equations_configuration_rate(x, [t; u], p);
end
end

function A = matrix(values, rows, columns, height, width)
A = zeros(height, width);
A(sub2ind([height, width], rows, columns)) = values;
end
