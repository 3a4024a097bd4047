package org.weft.metadata.recovery;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdTarget;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.WriteRequest;

/**
 * Shuts a dead writer out (P 5.5, 5.7). It raises the version of every component above the writer's
 * grant, so that OSDs refuse whatever the writer still has under way.
 *
 * <p>Its capability would also let it create, any time later, a component that it had not reached
 * yet. A tombstone keeps it from that. Where the writer was quicker, its component stays, as it was
 * part of its writes, and is shut out like the others. A component that holds attributes is created
 * empty instead: a tombstone could keep attributes away that arrive at the same time.
 *
 * <p>A component that was given up on its OSD's own word (P 5.8) lies on an OSD that goes on
 * serving. The next start of that OSD is in no quarantine. A reader with an older map would believe
 * the component once others have been written. So it is removed, as it is anyway, before a client
 * is granted the file without it. Where SysMgr has given the OSD up its quarantine takes care of
 * that.
 */
final class VersionRaiser {
  private static final int TIMEOUT_MILLIS = 5_000;

  /**
   * A component may be created between two answers of an OSD. That ends, since the component gets a
   * tombstone.
   */
  private static final int MAX_TRIES = 5;

  private final OsdClient osds;
  private final int metaCopies;

  VersionRaiser(OsdClient osds, int metaCopies) {
    this.osds = osds;
    this.metaCopies = metaCopies;
  }

  /**
   * Completes when every component that the map calls present refuses smaller grants than the
   * resolve's number. By then no missing component is left on OSDs which go on.
   *
   * @param leftBehind the latter
   * @param capability for everything on the file, of that number
   */
  CompletableFuture<Void> raise(
      ObjectId object,
      AbandonedFiles.Begun begun,
      SortedSet<Integer> leftBehind,
      SignedCapability capability) {
    StorageMap map = begun.map();
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int component = 0; component < map.components().size(); component++) {
      OsdTarget target = new OsdTarget(map.osdOf(component), capability, TIMEOUT_MILLIS);
      if (!map.isMissing(component)) {
        calls.add(new Component(object, begun, component, target).raiseOrBury(MAX_TRIES));
      } else if (leftBehind.contains(component)) {
        calls.add(new Component(object, begun, component, target).remove());
      }
    }
    return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
  }

  /** A component on its way. */
  private final class Component {
    private final ObjectId object;
    private final AbandonedFiles.Begun begun;
    private final int index;
    private final OsdTarget target;

    Component(ObjectId object, AbandonedFiles.Begun begun, int index, OsdTarget target) {
      this.object = object;
      this.begun = begun;
      this.index = index;
      this.target = target;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The nested future is composed one line below.
    CompletableFuture<MessageLite> raiseOrBury(int triesLeft) {
      return raise()
          .handle(
              (reply, failure) -> {
                if (failure == null) {
                  return CompletableFuture.completedFuture(reply);
                }
                requireCode(failure, ErrorCode.NO_SUCH_OBJECT);
                return index < metaCopies
                    ? create().thenCompose(made -> raise())
                    : buryOrRaise(triesLeft);
              })
          .thenCompose(outcome -> outcome);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // As above.
    private CompletableFuture<MessageLite> buryOrRaise(int triesLeft) {
      return bury()
          .handle(
              (reply, failure) -> {
                if (failure == null) {
                  return CompletableFuture.completedFuture(reply);
                }
                if (triesLeft == 0) {
                  throw new CompletionException(WeftException.of(failure));
                }
                requireCode(failure, ErrorCode.EXISTS);
                return raiseOrBury(triesLeft - 1);
              })
          .thenCompose(outcome -> outcome);
    }

    private static void requireCode(Throwable failure, ErrorCode expected) {
      WeftException cause = WeftException.of(failure);
      if (cause.code() != expected) {
        throw new CompletionException(cause);
      }
    }

    private CompletableFuture<MessageLite> raise() {
      return osds.raiseVersion(
              target,
              RaiseVersionRequest.newBuilder()
                  .setObjectId(object.value())
                  .setVersion(begun.number().value()))
          .thenApply(reply -> reply);
    }

    private CompletableFuture<MessageLite> create() {
      return osds.write(
              target,
              WriteRequest.newBuilder()
                  .setObjectId(object.value())
                  .setGrant(begun.number().value())
                  .setCreate(begun.map().tag(index)),
              Payload.EMPTY)
          .thenApply(reply -> reply);
    }

    private CompletableFuture<MessageLite> bury() {
      return remove(true);
    }

    /** An OSD that cannot even do that refuses all clients, or does not find the component. */
    CompletableFuture<Void> remove() {
      return remove(false)
          .handle(
              (reply, failure) -> {
                if (failure != null && !isOutOfReach(WeftException.of(failure).code())) {
                  throw new CompletionException(WeftException.of(failure));
                }
                return null;
              });
    }

    private static boolean isOutOfReach(ErrorCode code) {
      return code.isAbsent() || code.isOfMedium() || code == ErrorCode.TOMBSTONE;
    }

    private CompletableFuture<MessageLite> remove(boolean onlyIfAbsent) {
      return osds.remove(
              target,
              RemoveRequest.newBuilder()
                  .setObjectId(object.value())
                  .setLsn(begun.number().value())
                  .setOnlyIfAbsent(onlyIfAbsent))
          .thenApply(reply -> reply);
    }
  }
}
