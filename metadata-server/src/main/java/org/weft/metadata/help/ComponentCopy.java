package org.weft.metadata.help;

import com.google.protobuf.ByteString;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.ShareIdentity;
import org.weft.protocol.wire.StartShareRequest;
import org.weft.recovery.FileRecovery;
import org.weft.recovery.rebuild.ComponentRebuild;
import org.weft.recovery.rebuild.RebuildTask;

/**
 * One component that is to be written anew, as any manager can do it: the primary of the volume and
 * its workers run the same code with it (P 6.8).
 *
 * @param name of the file's object
 * @param map in which the target has the component
 * @param source the map of before, where the component is read; empty: it is computed
 * @param capability for this object under this number: the primary's own has all rights and no
 *     expiry, a worker's that to copy, for a while. OSDs refuse either once the object's version, a
 *     tombstone, the create floor or the fence is above it
 * @param component its index
 * @param incarnation the start of the target that alone is meant
 * @param number under which it is written
 * @param sizeBytes length of the file
 * @param truncationNumber how often it was cut
 * @param gone components whose OSDs do not come back
 * @param sharePercent of the time in which bytes are moved, by the manager that copies
 */
public record ComponentCopy(
    ObjectName name,
    StorageMap map,
    Optional<StorageMap> source,
    SignedCapability capability,
    int component,
    long incarnation,
    long number,
    long sizeBytes,
    int truncationNumber,
    SortedSet<Integer> gone,
    int sharePercent) {
  public ComponentCopy {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(map, "map");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(capability, "capability");
    Objects.checkIndex(component, map.components().size());
    if (sizeBytes < 0) {
      throw new IllegalArgumentException("no file is " + sizeBytes + " bytes long");
    }
    gone = Collections.unmodifiableSortedSet(new TreeSet<>(gone));
  }

  /**
   * The copying, not begun yet.
   *
   * @param written hears of bytes that were written, on any thread
   */
  ComponentRebuild by(StripeEngine stripes, LongConsumer written) {
    SortedMap<Integer, Long> starts = new TreeMap<>();
    starts.put(component, incarnation);
    RebuildTask task =
        new RebuildTask(
            component,
            number,
            sizeBytes,
            truncationNumber,
            gone,
            // It is read where it is, and computed from the others where that fails.
            source.map(before -> new StripedFile(name, before, capability)),
            sharePercent,
            written);
    return new FileRecovery(stripes).rebuild(new StripedFile(name, map, capability, starts), task);
  }

  /** The OSD that gets the component. */
  OsdId target() {
    return map.components().get(component);
  }

  /** The same by another capability. */
  ComponentCopy by(SignedCapability other) {
    return with(other, sharePercent);
  }

  /** The same with no more than that share of the time. */
  ComponentCopy withShareAtMost(int percent) {
    return with(capability, Math.min(sharePercent, percent));
  }

  private ComponentCopy with(SignedCapability otherCapability, int otherShare) {
    return new ComponentCopy(
        name,
        map,
        source,
        otherCapability,
        component,
        incarnation,
        number,
        sizeBytes,
        truncationNumber,
        gone,
        otherShare);
  }

  StartShareRequest toMessage(ShareIdentity share) {
    StartShareRequest.Builder message =
        StartShareRequest.newBuilder()
            .setShare(share)
            .setObjectId(name.object().value())
            .setComponent(component)
            .setMap(map.toMessage())
            .setCapability(capability.encoded())
            .setSecret(ByteString.copyFrom(capability.secret()))
            .setIncarnation(incarnation)
            .setSize(sizeBytes)
            .setTruncationNumber(truncationNumber)
            .addAllGone(gone)
            .setSharePercent(sharePercent);
    source.map(StorageMap::toMessage).ifPresent(message::setSource);
    return message.build();
  }

  /**
   * @throws WeftException INVALID_ARGUMENT if it makes no sense
   */
  static ComponentCopy of(StartShareRequest message) throws WeftException {
    try {
      return new ComponentCopy(
          new ObjectName(
              new PartitionId(message.getShare().getVolumeId()),
              new ObjectId(message.getObjectId())),
          StorageMap.fromMessage(message.getMap()),
          message.hasSource()
              ? Optional.of(StorageMap.fromMessage(message.getSource()))
              : Optional.empty(),
          new SignedCapability(message.getCapability(), message.getSecret().toByteArray()),
          message.getComponent(),
          message.getIncarnation(),
          message.getShare().getNumber(),
          message.getSize(),
          message.getTruncationNumber(),
          new TreeSet<>(message.getGoneList()),
          Math.max(1, Math.min(100, message.getSharePercent())));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "no component can be copied so: " + e.getMessage(), e);
    }
  }
}
