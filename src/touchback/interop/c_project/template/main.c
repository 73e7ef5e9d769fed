/* Runs the model and writes its time, states and sensors as a table to stdout.
 *
 *   ./model [seconds] [steps a row] [input=number ...] [parameter=number ...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static model the_model;

static int place(const char *word, size_t length, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0)
            return i;
    return -1;
}

/* Sets an input or a parameter by a text such as "mass=2". Returns 0 when there is none. */
static int assign(model *m, const char *text) {
    const char *end = strrchr(text, '=');
    if (!end)
        return 0;
    size_t length = (size_t)(end - text);
    int input = place(text, length, model_input_names, MODEL_INPUTS);
    int parameter = place(text, length, model_parameter_names, MODEL_PARAMETERS);
    if (input >= 0)
        m->u[1 + input] = atof(end + 1);
    else if (parameter >= 0)
        m->parameters[parameter] = atof(end + 1);
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
    double duration = count > 1 ? atof(words[1]) : 1.0;
    long every = count > 2 ? atol(words[2]) : 1;
    long steps = (long)(duration / MODEL_STEP + 0.5);
    model *m = &the_model;
    model_init(m);
    for (int i = 3; i < count; i++)
        if (!assign(m, words[i])) {
            fprintf(stderr, "There is no input or parameter of this name: %s\n", words[i]);
            return 2;
        }
    model_use_parameters(m);
    model_start(m, 0.0);
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
        if (k % (every > 0 ? every : 1) == 0)
            write_row(m);
    }
    return 0;
}
