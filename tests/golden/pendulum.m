function out = pendulum(x, u, p)
% A pendulum.
% x = (q, v)
% out (3) from x (2), u (1), p (2). Printed by Touchback.
% A fused multiply-add is rounded twice here: agrees with compiled code to rounding.
table1_x = [-1.0, 0.0, 1.0];
table1_values = [-0.5, 0.0, 0.5];
t1 = lookup1(table1_x, table1_values, 0, x(2));
S1 = sin(x(1));
C1 = cos(x(1));
t2 = p(2) / p(1);
t3 = u(1) - S1 * t2;
t4 = t1 - t3;
t5 = 1.0 - C1;
t6 = p(1) * t5;
t7 = p(2) * t6;
t8 = x(2) * x(2);
t9 = 0.5 * t8 + t7;
t10 = double(u(1) < x(2));
t11 = -t4;
t12 = pick(t10 ~= 0, t11, t4);
out = zeros(3, 1);
out(1) = x(2);
out(2) = t12;
out(3) = -t9;
end

function r = pick(condition, yes, no)
% yes where the condition holds, else no.
if condition
  r = yes;
else
  r = no;
end
end

function i = cell_of(points, value)
% Index of the cell that holds the value; the end cells reach beyond.
i = min(max(sum(points <= value), 1), numel(points) - 1);
end

function r = outside(points, value)
r = ~(points(1) <= value && value < points(end));
end

function r = fraction(points, i, value)
% Where the value stands in cell i, from 0 to 1.
r = (min(max(value, points(1)), points(end)) - points(i)) / (points(i + 1) - points(i));
end

function r = lookup1(xs, values, want, x)
% Linear interpolation: the value (want 0) or the slope (want 1).
i = cell_of(xs, x);
if x ~= x
  r = x;
elseif want == 1 && outside(xs, x)
  r = 0;
elseif want == 1
  r = (values(i + 1) - values(i)) / (xs(i + 1) - xs(i));
else
  r = values(i) + (values(i + 1) - values(i)) * fraction(xs, i, x);
end
end
