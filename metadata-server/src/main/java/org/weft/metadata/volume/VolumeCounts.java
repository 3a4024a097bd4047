package org.weft.metadata.volume;

/**
 * How much a volume holds, for status.
 *
 * @param writeGrants those that wait for their scrub included
 * @param files with a name; directories too
 * @param laggingCopies copies of metadata that wait for the return of their OSD
 */
public record VolumeCounts(
    long sessions, long writeGrants, long unscrubbedFiles, long files, long laggingCopies) {
  public static final VolumeCounts NONE = new VolumeCounts(0, 0, 0, 0, 0);
}
