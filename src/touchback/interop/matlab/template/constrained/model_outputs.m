function out = model_outputs(t, x, u, p, m)
% What sensors show, efforts of drives and forces of closures among it.
out = zeros(0, 1);
if ~isempty(m.output_names)
  [~, a, lambda] = model_rate(t, x, u, p, m);
  out = equations_outputs(x, [t; u; a; lambda], p);
end
end
