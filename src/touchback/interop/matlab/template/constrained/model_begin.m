function x = model_begin(m)
% The state in which a run with m.inputs and m.parameters begins: m.state, or where only inputs or
% parameters were changed the one that constraints allow from m.described, positions and velocities
% with the least change, by Newton's method with steps of at most half a radian or metre.
p = model_parameters(m);
x = m.state;
if model_refuse(m)
  x = m.described;
  nq = m.sizes(1);
  at = nq + (1:m.sizes(2));
  for k = 1:60
    [h, J] = model_constraints(0, x, m.inputs, p, m);
    if max([0; abs(h)]) <= 1e-13
      break
    end
    step = -pinv(J(m.holonomic, :)) * h;
    step = step / max(1, 2 * max(abs(step)));
    x(1:nq) = model_displace(x, step, 0, m.inputs, p, m);
  end
  [~, J] = model_constraints(0, x, m.inputs, p, m);
  b = zeros(m.rows, 1);
  if m.moving
    b = equations_velocity_level(x, [0; m.inputs], p);
  end
  x(at) = x(at) - pinv(J) * (J * x(at) - b);
end
x = model_settle(0, x, m.inputs, p, m);
end
