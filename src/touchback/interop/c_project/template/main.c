/* Runs the model and writes its time, states and sensors as a table to stdout.
 *
 *   ./model [seconds] [steps a row] [input=number ...] [parameter=number ...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static model the_model;
static const double MOST = 1e9; /* steps, which any long can count */

static int place(const char *word, size_t length, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0)
            return i;
    return -1;
}

/* Whether a text is a number and nothing else, and which. */
static int number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == 0 && *value - *value == 0.0; /* neither infinite nor NaN */
}

/* Sets an input or a parameter by a text such as "mass=2". Returns 0 when it can't. */
static int assign(model *m, const char *text) {
    const char *end = strrchr(text, '=');
    double value;
    if (!end || !number(end + 1, &value)) {
        fprintf(stderr, "A name, '=' and a number are expected: %s\n", text);
        return 0;
    }
    size_t length = (size_t)(end - text);
    double *inputs = m->u + 1; /* none there, or some */
    int input = place(text, length, model_input_names, MODEL_INPUTS);
    int parameter = place(text, length, model_parameter_names, MODEL_PARAMETERS);
    if (input >= 0)
        inputs[input] = value;
    else if (parameter >= 0)
        m->parameters[parameter] = value;
    else
        fprintf(stderr, "There is no input or parameter of this name: %s\n", text);
    return input >= 0 || parameter >= 0;
}

static void write_names(const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        printf(",\"%s\"", names[i]);
}

static void write_row(model *m) {
    static double outputs[MODEL_OUTPUTS + 1];
    model_outputs(m, outputs);
    printf("%.17g", model_time(m));
    for (int i = 0; i < MODEL_STATES; i++)
        printf(",%.17g", m->state[i]);
    for (int i = 0; i < MODEL_OUTPUTS; i++)
        printf(",%.17g", outputs[i]);
    printf("\n");
}

int main(int count, char **words) {
    double duration = 1.0, rows = 1.0;
    if ((count > 1 && (!number(words[1], &duration) || duration < 0.0)) ||
        (count > 2 && (!number(words[2], &rows) || rows < 1.0)) || duration / MODEL_STEP > MOST ||
        rows > MOST) {
        fprintf(stderr, "usage: %s [seconds] [steps a row] [input=number ...] "
                        "[parameter=number ...]\n", words[0]);
        return 2;
    }
    long every = (long)rows, steps = (long)(duration / MODEL_STEP + 0.5);
    model *m = &the_model;
    model_init(m);
    for (int i = 3; i < count; i++)
        if (!assign(m, words[i]))
            return 2;
    model_use_parameters(m);
    int refused = count > 3 ? model_assemble(m, 0.0) : 0;
    if (refused) {
        fprintf(stderr, refused == 1
                            ? "The constraints can't be met from the initial state.\n"
                            : "Where contacts begin was found with the default parameters and "
                              "inputs: generate the project with these.\n");
        return 1;
    }
    printf("time");
    write_names(model_state_names, MODEL_STATES);
    write_names(model_output_names, MODEL_OUTPUTS);
    printf("\n");
    write_row(m);
    for (long k = 1; k <= steps; k++) {
        int bad = model_step(m);
        if (bad) {
            fprintf(stderr, "%s stopped being a number after %.9g s.\n",
                    model_state_names[bad - 1], model_time(m));
            return 1;
        }
        if (k % every == 0)
            write_row(m);
    }
    if (model_unanswered(m)) {
        fprintf(stderr,
                "%ld times there was no answer, such as a loop that didn't close: the motion is "
                "off from there on.\n",
                model_unanswered(m));
        return 1;
    }
    return 0;
}
