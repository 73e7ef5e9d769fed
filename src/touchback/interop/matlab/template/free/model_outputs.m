function out = model_outputs(t, x, u, p, m)
% What sensors show.
out = zeros(0, 1);
if ~isempty(m.output_names)
  out = equations_outputs(x, [t; u], p);
end
end
