package org.weft.osd.command.request;

import com.google.protobuf.ByteString;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.StoreIdentity;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Clock;
import org.weft.protocol.seam.Ticker;

/**
 * Verifies each request (P 5.7). The capability is genuine, and the request is signed with its
 * secret. The capability names this object and this right, and is neither expired nor fenced. The
 * object's version is the store's to check, in the step that commits. Thread-safe; asks only
 * memory.
 *
 * <p>Errors: CAPABILITY_INVALID, CAPABILITY_EXPIRED, UNAUTHENTICATED, FENCED, NO_SUCH_PARTITION.
 * QUARANTINED goes to a client until its volume's manager has compared what is here (P 5.8).
 * STORE_FAILED goes to a client once the store takes no changes any more. UNAVAILABLE goes to every
 * caller while a store that failed could not note so. It also goes to a client while the {@link
 * ClientGate} is shut.
 */
public final class CapabilityChecker {
  /** A manager whose clock is ahead makes no right to copy that lasts. */
  private static final long MAX_COPIERS_LIFE_MILLIS = 60L * 60 * 1_000;

  private static final int OF_LOOKS = Right.bits(Right.READ, Right.READ_ATTRIBUTES, Right.LOOK);
  private static final int OF_COPIES = Right.bits(Right.READ, Right.COPY);

  private final ObjectStore store;
  private final ClientGate gate;
  private final Clock clock;
  private final VerifiedCapabilities verified;

  public CapabilityChecker(
      ObjectStore store, ClientGate gate, Clock clock, Ticker ticker, Executor upkeep) {
    this.store = store;
    this.gate = gate;
    this.clock = clock;
    this.verified = new VerifiedCapabilities(ticker, upkeep);
  }

  /**
   * Checks a command on one object.
   *
   * @param rights each of which is enough
   */
  public Authorized object(
      ReceivedCommand command, ByteString encoded, long objectId, Right... rights)
      throws WeftException {
    return check(command, encoded, CommandLimits.object(objectId), rights);
  }

  /**
   * Checks a command on a whole partition.
   *
   * @param rights each of which is enough
   */
  public Authorized partition(ReceivedCommand command, ByteString encoded, Right... rights)
      throws WeftException {
    return check(command, encoded, new ObjectId(Capability.WHOLE_PARTITION), rights);
  }

  /**
   * Looks again before what was read leaves: the process may have stood still since it was checked.
   *
   * @throws WeftException UNAVAILABLE
   */
  public void requireStillOpen(Authorized authorized) throws WeftException {
    if (!authorized.capability().isOfAnEpoch()) {
      gate.requireOpen();
    }
  }

  private Authorized check(
      ReceivedCommand command, ByteString encoded, ObjectId object, Right... rights)
      throws WeftException {
    Capability claimed = Capability.decode(encoded.asReadOnlyByteBuffer());
    PartitionState partition = partitionOf(claimed);
    Capability genuine = authenticate(command, encoded, keyOf(claimed, partition));
    ObjectName name = new ObjectName(partition.id(), object);
    if (!genuine.covers(name)) {
      throw invalid(command, "is for " + genuine.object() + ", not for " + name);
    }
    if (!genuine.allowsAny(rights)) {
      throw invalid(
          command,
          "lacks the right "
              + Stream.of(rights).map(Right::name).collect(Collectors.joining(" or ")));
    }
    requireOneKind(command, genuine);
    requireTarget(command, genuine, rights);
    if (store.refusesClientsOf(partition.id()) && !genuine.isOfAnEpoch()) {
      throw new WeftException(
          ErrorCode.QUARANTINED,
          "this OSD was given up, or may have lost writes, and is compared with the maps now: what"
              + " it holds of "
              + name
              + " may be old; use the other components until it is up again");
    }
    if (!genuine.isOfAnEpoch()) {
      gate.requireOpen();
    }
    requireSound(name, genuine);
    if (clock.nowMillis() > genuine.expiryMillis()) {
      throw new WeftException(
          ErrorCode.CAPABILITY_EXPIRED,
          "the capability for " + command.opcode() + " of " + name + " expired; renew the grant");
    }
    if (genuine.isOfAnEpoch() && genuine.epoch() < partition.fenceEpoch()) {
      throw new WeftException(
          ErrorCode.FENCED,
          "a manager of epoch %d is fenced from partition %s: epoch %d has taken over"
              .formatted(genuine.epoch(), partition.id(), partition.fenceEpoch()));
    }
    return new Authorized(name, genuine, partition);
  }

  /**
   * Rights to look and to copy are bound by no version of an object. Beside a client's right to
   * write they would permit all that a manager may write, so each stands beside rights to read
   * alone.
   */
  private static void requireOneKind(ReceivedCommand command, Capability genuine)
      throws WeftException {
    if (!isNarrow(genuine)) {
      return;
    }
    boolean looks = genuine.allows(Right.LOOK);
    if ((genuine.rights() & ~(looks ? OF_LOOKS : OF_COPIES)) != 0) {
      throw invalid(
          command, "has other rights than to read beside that to " + (looks ? "look" : "copy"));
    }
  }

  private static boolean isNarrow(Capability genuine) {
    return genuine.isOfAnEpoch() && !genuine.allows(Right.MANAGE);
  }

  /**
   * A right to copy reads the object on every OSD. All else it permits on the target OSD alone. So
   * a worker with a wrong map cannot write on a component that is in use.
   */
  private void requireTarget(ReceivedCommand command, Capability genuine, Right... rights)
      throws WeftException {
    if (!isNarrow(genuine) || !genuine.allows(Right.COPY)) {
      return;
    }
    if (genuine.object().object().value() == Capability.WHOLE_PARTITION) {
      throw invalid(command, "is to copy one component and names no object");
    }
    if (genuine.expiryMillis() - MAX_COPIERS_LIFE_MILLIS > clock.nowMillis()) {
      throw invalid(
          command, "is to copy a component and lasts for more than an hour by this OSD's clock");
    }
    boolean reads = genuine.allows(Right.READ) && Set.of(rights).contains(Right.READ);
    StoreIdentity own = store.identity();
    if (!reads && !isTarget(genuine, own)) {
      throw invalid(
          command,
          "is to copy a component to osd-%s, start %d, and this is osd-%s, start %d"
              .formatted(
                  Integer.toUnsignedString(genuine.targetOsd()),
                  genuine.targetStart(),
                  own.osd().map(OsdId::toString).orElse("none"),
                  own.incarnation()));
    }
  }

  private static boolean isTarget(Capability genuine, StoreIdentity own) {
    boolean isOsd = own.osd().map(OsdId::value).filter(id -> id == genuine.targetOsd()).isPresent();
    return isOsd && (genuine.targetStart() == 0 || genuine.targetStart() == own.incarnation());
  }

  /** In this order: what has failed may be silent still, and never is again once it is not. */
  private void requireSound(ObjectName name, Capability genuine) throws WeftException {
    if (!store.hasFailed()) {
      return;
    }
    if (store.isSilent()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE, "this OSD is not serving now; try again, or use the others");
    }
    if (!genuine.isOfAnEpoch()) {
      // Its version cannot be raised, nor can it be removed: readers must not meet what is old.
      throw new WeftException(
          ErrorCode.STORE_FAILED,
          "the disk of this OSD has failed, and what it holds of "
              + name
              + " may be old; use the other components, look at the disk, then start the OSD"
              + " again");
    }
  }

  private PartitionState partitionOf(Capability claimed) throws WeftException {
    return store
        .partition(claimed.object().partition())
        .orElseThrow(
            () ->
                new WeftException(
                    ErrorCode.NO_SUCH_PARTITION,
                    "partition " + claimed.object().partition() + " is not known to this OSD"));
  }

  private static byte[] keyOf(Capability claimed, PartitionState partition) throws WeftException {
    return partition
        .key(claimed.keyVersion())
        .map(WorkingKey::key)
        .orElseThrow(
            () ->
                new WeftException(
                    ErrorCode.CAPABILITY_INVALID,
                    "key version %s of partition %s is not valid on this OSD; ask for a new grant"
                        .formatted(
                            Integer.toUnsignedString(claimed.keyVersion()), partition.id())));
  }

  private Capability authenticate(ReceivedCommand command, ByteString encoded, byte[] workingKey)
      throws WeftException {
    VerifiedCapabilities.Entry entry = verified.remembered(encoded, workingKey);
    boolean known = entry != null;
    if (!known) {
      entry = VerifiedCapabilities.derive(encoded, workingKey);
    }
    if (!command.signedWith(entry.secret())) {
      throw new WeftException(
          ErrorCode.UNAUTHENTICATED,
          command.opcode()
              + " is not signed with its capability's secret: the capability or the request was"
              + " forged or altered");
    }
    if (!known) {
      verified.remember(encoded, entry);
    }
    return entry.capability();
  }

  private static WeftException invalid(ReceivedCommand command, String why) {
    return new WeftException(
        ErrorCode.CAPABILITY_INVALID, "the capability for " + command.opcode() + " " + why);
  }
}
