package org.weft.protocol.id;

import java.util.Objects;

/** The name of an object on an OSD; all components of a file carry the same one. */
public record ObjectName(PartitionId partition, ObjectId object) implements Comparable<ObjectName> {
  public ObjectName {
    Objects.requireNonNull(partition, "partition");
    Objects.requireNonNull(object, "object");
  }

  public static ObjectName of(long partitionId, long objectId) {
    return new ObjectName(new PartitionId(partitionId), new ObjectId(objectId));
  }

  @Override
  public int compareTo(ObjectName other) {
    int byPartition = partition.compareTo(other.partition);
    return byPartition != 0 ? byPartition : object.compareTo(other.object);
  }

  @Override
  public String toString() {
    return partition + "/" + object;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ObjectName that
        && object.equals(that.object)
        && partition.equals(that.partition);
  }

  @Override
  public int hashCode() {
    return 31 * partition.hashCode() + object.hashCode();
  }
}
