function rate = model_rate(t, x, u, p, m)
% dx/dt of x = [positions; velocities; other states]; m is model_data().
rate = equations_rate(x, [t; u], p);
end
