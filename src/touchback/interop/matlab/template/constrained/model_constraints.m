function [h, J] = model_constraints(t, x, u, p, m)
% Errors of the rows that have positions, and the slopes of all rows.
out = equations_positions(x, [t; u], p);
h = out(1:m.rows);
h = h(m.holonomic);
J = zeros(m.rows, m.sizes(2));
J(sub2ind(size(J), m.J_rows, m.J_columns)) = out(m.rows + 1:end);
end
