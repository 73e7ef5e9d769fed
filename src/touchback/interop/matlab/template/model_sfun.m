function model_sfun(block)
% A Level-2 S-function for Simulink: inputs in, sensors out (states where there are no sensors). Its
% parameter is the vector m.parameters of model_data, or [].
setup(block);
end

function setup(block)
m = model_data();
block.NumDialogPrms = 1;
block.NumInputPorts = double(~isempty(m.inputs));
block.NumOutputPorts = 1;
if ~isempty(m.inputs)
  block.InputPort(1).Dimensions = numel(m.inputs);
  block.InputPort(1).DirectFeedthrough = true;
end
block.OutputPort(1).Dimensions = max(numel(m.output_names), (isempty(m.output_names)) * numel(m.state));
block.NumContStates = numel(m.state);
block.SampleTimes = [0 0];
block.RegBlockMethod('InitializeConditions', @initialize);
block.RegBlockMethod('Outputs', @outputs);
block.RegBlockMethod('Derivatives', @derivatives);
block.RegBlockMethod('Projection', @project);
end

function [u, p, m] = given(block)
m = model_data();
if ~isempty(block.DialogPrm(1).Data)
  m.parameters = block.DialogPrm(1).Data(:);
end
p = model_parameters(m);
u = m.inputs;
if ~isempty(u)
  u = block.InputPort(1).Data(:);
end
end

function initialize(block)
[~, ~, m] = given(block);
block.ContStates.Data = model_begin(m);
end

function derivatives(block)
[u, p, m] = given(block);
block.Derivatives.Data = model_rate(block.CurrentTime, block.ContStates.Data, u, p, m);
end

function project(block)
[u, p, m] = given(block);
block.ContStates.Data = model_settle(block.CurrentTime, block.ContStates.Data, u, p, m);
end

function outputs(block)
[u, p, m] = given(block);
x = block.ContStates.Data;
if isempty(m.output_names)
  block.OutputPort(1).Data = x;
else
  block.OutputPort(1).Data = model_outputs(block.CurrentTime, x, u, p, m);
end
end
