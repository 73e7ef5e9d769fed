function changed = model_refuse(m)
% Whether a run begins in another state than m.state: one that nobody has set, with other inputs or
% parameters than the model's own. An error where that state can't be found here.
own = model_data();
changed = isequal(m.state, own.state) && ...
  ~(isequal(m.parameters, own.parameters) && isequal(m.inputs, own.inputs));
if changed && isempty(m.described)
  error('model:found', ['Where contacts begin was found with the model''s own numbers: ', ...
    'set m.state.']);
end
end
