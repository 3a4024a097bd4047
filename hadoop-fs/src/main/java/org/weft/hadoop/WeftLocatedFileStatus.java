package org.weft.hadoop;

import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.LocatedFileStatus;

/** A status with the hosts of the file's bytes, and the same entity tag. */
public final class WeftLocatedFileStatus extends LocatedFileStatus implements EtagSource {
  private static final long serialVersionUID = 1L;

  private final String etag;

  WeftLocatedFileStatus(WeftFileStatus status, BlockLocation[] locations) {
    super(status, locations);
    this.etag = status.getEtag();
  }

  @Override
  public String getEtag() {
    return etag;
  }

  @Override
  public boolean equals(Object other) {
    return super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
