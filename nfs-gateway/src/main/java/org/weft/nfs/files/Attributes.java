package org.weft.nfs.files;

/**
 * The attributes of a node at one moment.
 *
 * @param mode the lowest twelve bits of a POSIX mode
 * @param links names that it has; of a directory 2 and one for each directory in it
 * @param owner name of a user
 * @param group name of a group
 * @param sizeBytes of a directory or link what its content would take
 * @param usedBytes on disk, without parity
 * @param atimeNanos since 1970
 * @param mtimeNanos when the content changed last, since 1970
 * @param ctimeNanos when anything changed last, since 1970; grows with every change of the node
 */
public record Attributes(
    FileId id,
    FileType type,
    int mode,
    int links,
    String owner,
    String group,
    long sizeBytes,
    long usedBytes,
    Device device,
    long atimeNanos,
    long mtimeNanos,
    long ctimeNanos) {}
