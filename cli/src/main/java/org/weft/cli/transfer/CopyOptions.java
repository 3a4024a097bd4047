package org.weft.cli.transfer;

import org.weft.client.FileStatus;

/**
 * How files are copied.
 *
 * @param noClobber fail where a file stands at the target already
 * @param update skip existing files with the same size and a newer or equal time
 * @param preserve take modes and times along exactly
 * @param sparse leave holes for zeros in local files
 */
record CopyOptions(boolean noClobber, boolean update, boolean preserve, boolean sparse) {
  /** True if the copy need not be made again. */
  boolean isCurrent(long sizeBytes, long mtimeMillis, long copySizeBytes, long copyMtimeMillis) {
    return update && sizeBytes == copySizeBytes && copyMtimeMillis >= mtimeMillis;
  }

  boolean isCurrent(long sizeBytes, long mtimeMillis, FileStatus copy) {
    return copy.isFile() && isCurrent(sizeBytes, mtimeMillis, copy.sizeBytes(), copy.mtimeMillis());
  }
}
