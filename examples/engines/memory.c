/* A solver of Memory for Dealmill: look at all cards, then collect the pairs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char line[4096], evidence[4096];
    long limit = -1; /* none */
    if (!fgets(line, sizeof line, stdin)) return 1;
    char *found = strstr(line, "\"max_nodes\": ");
    if (found && found[13] != 'n') limit = atol(found + 13); /* not null */
    printf("{\"dealmill\": 1, \"game\": \"memory\", \"name\": \"c\", \"version\": \"1\"}\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        int cards = strlen(line), flips = cards;
        char *end = evidence;
        for (int card = 1; card <= cards; card++) end += sprintf(end, " %d", card);
        for (int first = 1; first <= cards; first++) {
            char *other = strchr(line + first, line[first - 1]);
            if (!other) continue; /* it is the second of its pair */
            int second = other - line + 1;
            if (first % 2 == 1 && second == first + 1) continue; /* found on the way */
            end += sprintf(end, " %d %d", first, second);
            flips += 2;
        }
        if (limit >= 0 && flips > limit)
            printf("{\"layout\": \"%s\", \"verdict\": \"undecided\", \"nodes\": %ld}\n", line, limit);
        else
            printf("{\"layout\": \"%s\", \"verdict\": \"scored\", \"value\": %d, \"nodes\": %d, \"evidence\": \"%s\"}\n",
                   line, flips, flips, evidence + 1);
        fflush(stdout);
    }
    return 0;
}
