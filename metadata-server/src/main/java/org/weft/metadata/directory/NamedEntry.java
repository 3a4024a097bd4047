package org.weft.metadata.directory;

/**
 * An entry with its name and its place in the order of the directory.
 *
 * @param cookie never 0, compares as a positive number; stays the same for as long as the entry
 *     exists
 */
public record NamedEntry(String name, long cookie, DirectoryEntry entry) {}
