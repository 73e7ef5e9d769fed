function x = model_begin(m)
% The state in which a run with m.inputs and m.parameters begins. Nothing is constrained: that is m.state.
model_refuse(m);
x = m.state;
end
