package org.weft.bench.cold;

/**
 * What one new client JVM spent, from its start to its end.
 *
 * @param firstByteMillis until it printed something, or its first operation was done; 0: it does
 *     not say
 * @param classes that it loaded
 * @param methods that it compiled; 0 in reports that are older than this figure
 * @param jitMillis of its compilers' threads
 */
public record ColdRun(
    String system,
    String name,
    long wallMillis,
    long cpuMillis,
    long firstByteMillis,
    long classes,
    long methods,
    long jitMillis) {}
