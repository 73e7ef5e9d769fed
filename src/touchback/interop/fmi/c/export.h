/* Functions that importers may call. In a library they have the standard's names; linked from sources
 * they have TB_PREFIX before them. */
#ifndef TB_EXPORT_H
#define TB_EXPORT_H

#ifdef TB_PREFIX
#define TB_JOIN(a, b) a##b
#define TB_JOINED(a, b) TB_JOIN(a, b)
#define NAMED(name) TB_JOINED(TB_PREFIX, name)
#else
#define NAMED(name) name
#endif

#if defined _WIN32
#define TB_EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define TB_EXPORT __attribute__((visibility("default")))
#else
#define TB_EXPORT
#endif

#endif
