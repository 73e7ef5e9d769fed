function [x, t] = model_step(t, x, u, p, h, m)
% One step of h seconds by the classical Runge-Kutta method; u are the inputs, constant in it.
k1 = model_rate(t, x, u, p, m);
k2 = model_rate(t + h / 2, x + h / 2 * k1, u, p, m);
k3 = model_rate(t + h / 2, x + h / 2 * k2, u, p, m);
k4 = model_rate(t + h, x + h * k3, u, p, m);
t = t + h;
x = model_settle(t, x + h / 6 * (k1 + 2 * (k2 + k3) + k4), u, p, m);
end
