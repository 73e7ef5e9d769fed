function q = model_displace(x, step, t, u, p, m)
% Positions of x moved by a step in velocities.
q = x(1:m.sizes(1));
if m.plain
  q = q + step;
else
  q = q + equations_configuration_rate([q; step; x(sum(m.sizes(1:2)) + 1:end)], [t; u], p);
end
end
