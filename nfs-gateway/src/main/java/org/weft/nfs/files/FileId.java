package org.weft.nfs.files;

import java.util.Objects;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;

/** A node: its volume, and its object there. Never used again for another node. */
public record FileId(PartitionId volume, ObjectId object) {
  public FileId {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(object, "object");
  }

  public static FileId of(long volume, long object) {
    return new FileId(new PartitionId(volume), new ObjectId(object));
  }

  @Override
  public String toString() {
    return volume + "/" + object;
  }
}
