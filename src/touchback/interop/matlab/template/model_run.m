function [times, states, outputs] = model_run(duration, h, m)
% A run from m.state with m.inputs and m.parameters (see model_data): rows for each step of h seconds.
if nargin < 3
  m = model_data();
end
p = model_parameters(m);
steps = round(duration / h);
times = (0:steps)' * h;
x = model_begin(m);
states = zeros(steps + 1, numel(x));
outputs = zeros(steps + 1, numel(m.output_names));
for k = 0:steps
  if k > 0
    x = model_step(times(k), x, m.inputs, p, h, m);
  end
  states(k + 1, :) = x';
  outputs(k + 1, :) = model_outputs(times(k + 1), x, m.inputs, p, m)';
end
end
