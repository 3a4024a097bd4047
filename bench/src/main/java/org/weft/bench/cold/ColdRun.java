package org.weft.bench.cold;

/**
 * What one new client JVM spent, from its start to the end of its command.
 *
 * @param firstByteMillis until it printed something; 0: it printed nothing
 * @param classes that it loaded
 * @param jitMillis of its compilers' threads
 */
public record ColdRun(
    String system,
    String name,
    long wallMillis,
    long cpuMillis,
    long firstByteMillis,
    long classes,
    long jitMillis) {}
