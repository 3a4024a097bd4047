package org.weft.client.ids;

import java.util.Objects;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;

/** A node: its volume, and its object there. Never used again for another node. */
public record NodeId(PartitionId volume, ObjectId object) {
  public NodeId {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(object, "object");
  }

  public static NodeId of(long volume, long object) {
    return new NodeId(new PartitionId(volume), new ObjectId(object));
  }

  /** The directory at the top of a volume. */
  public static NodeId rootOf(PartitionId volume) {
    return new NodeId(volume, ObjectId.ROOT);
  }

  public boolean isRoot() {
    return object.equals(ObjectId.ROOT);
  }

  @Override
  public String toString() {
    return "volume " + volume + " object " + object;
  }
}
