/* Functions that importers may call. In a library they have the standard's names; linked from
 * sources they have FMU_PREFIX before them. */
#ifndef FMU_EXPORT_H
#define FMU_EXPORT_H

#ifdef FMU_PREFIX
#define FMU_JOIN(a, b) a##b
#define FMU_JOINED(a, b) FMU_JOIN(a, b)
#define NAMED(name) FMU_JOINED(FMU_PREFIX, name)
#else
#define NAMED(name) name
#endif

#if defined _WIN32
#define FMU_EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define FMU_EXPORT __attribute__((visibility("default")))
#else
#define FMU_EXPORT
#endif

#endif
