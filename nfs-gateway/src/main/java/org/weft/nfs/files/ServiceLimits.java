package org.weft.nfs.files;

/**
 * What a service can do; the same for all its files, for ever.
 *
 * @param mostReadBytes of one read
 * @param mostWriteBytes of one write
 * @param stripeBytes writes of whole multiples, at multiples, cost least
 * @param mostListBytes of one reply that lists a directory
 * @param mostFileBytes the longest file
 * @param mostLinks names that a file can have
 */
public record ServiceLimits(
    int mostReadBytes,
    int mostWriteBytes,
    int stripeBytes,
    int mostListBytes,
    long mostFileBytes,
    int mostLinks) {}
