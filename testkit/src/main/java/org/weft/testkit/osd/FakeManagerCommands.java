package org.weft.testkit.osd;

import static org.weft.testkit.osd.FakeOsdStore.name;

import java.util.Arrays;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.CompletionMarkMessage;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.FenceReply;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.RaiseVersionReply;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.RemoveReply;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesReply;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.WriteBlocksReply;
import org.weft.protocol.wire.WriteBlocksRequest;

/** The commands that are a manager's alone. */
final class FakeManagerCommands {
  private static final int BLOCK_BYTES = FakeObject.BLOCK_BYTES;

  private final FakeOsdStore store;

  FakeManagerCommands(FakeOsdStore store) {
    this.store = store;
  }

  WriteBlocksReply writeBlocks(
      Capability capability, WriteBlocksRequest request, byte[] payload, long incarnation)
      throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    store.require(capability, name, Right.MANAGE);
    if (request.getIncarnation() != 0 && request.getIncarnation() != incarnation) {
      throw new WeftException(ErrorCode.UNAVAILABLE, "this OSD has started again");
    }
    int count = request.getNumberCount();
    if (payload.length != count * BLOCK_BYTES || request.getLsnCount() != count) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "numbers, LSNs and payload do not agree");
    }
    int skipped =
        managed(
            name,
            request.hasCreate(),
            request.getCreate(),
            object -> storeBlocks(object, request, payload));
    return WriteBlocksReply.newBuilder().setSkipped(skipped).build();
  }

  private static int storeBlocks(FakeObject object, WriteBlocksRequest request, byte[] payload)
      throws WeftException {
    int skipped = 0;
    for (int i = 0; i < request.getNumberCount(); i++) {
      byte[] bytes = Arrays.copyOfRange(payload, i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES);
      if (Checksums.of(bytes, 0, BLOCK_BYTES) != request.getBlockCrc(i)) {
        throw new WeftException(ErrorCode.BAD_CHECKSUM, "block " + i + " does not match its CRC");
      }
      FakeObject.Block stored = object.blocks().get(request.getNumber(i));
      if (stored != null && Long.compareUnsigned(stored.grant(), request.getLsn(i)) >= 0) {
        skipped++;
      } else {
        object.putBlock(request.getNumber(i), FakeObject.Block.of(bytes, request.getLsn(i), 0));
      }
    }
    object.establish(object.truncationNumber(), request.getEof());
    return skipped;
  }

  SetAttributesReply setAttributes(Capability capability, SetAttributesRequest request)
      throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    store.require(capability, name, Right.MANAGE);
    int skipped =
        managed(
            name,
            request.hasCreate(),
            request.getCreate(),
            object -> {
              int newer = 0;
              for (AttributePage page : request.getPagesList()) {
                newer += object.store(page) ? 0 : 1;
              }
              object.resolvedBelow(request.getFloor());
              for (CompletionMarkMessage mark : request.getCompleteList()) {
                object.pending().complete(mark.getGrant(), mark.getCompleteUpTo());
              }
              return newer;
            });
    return SetAttributesReply.newBuilder().setSkipped(skipped).build();
  }

  private <T> T managed(
      ObjectName name, boolean mayCreate, ComponentTag tag, FakeOsdStore.Change<T> change)
      throws WeftException {
    return mayCreate ? store.changeOrCreate(name, tag, -1L, change) : store.change(name, change);
  }

  RemoveReply remove(Capability capability, RemoveRequest request) throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    store.require(capability, name, Right.MANAGE);
    FakeObject object = store.objects().get(name);
    if (object != null && request.getOnlyIfAbsent()) {
      throw new WeftException(ErrorCode.EXISTS, name + " exists");
    }
    if (object != null && Long.compareUnsigned(request.getLsn(), object.version()) < 0) {
      throw new WeftException(ErrorCode.FENCED, "the removal of " + name + " comes too late");
    }
    if (request.getOnlyIfAbsent()) {
      // Of floors that come with what is flushed the fake knows nothing.
      store.createFloor(request.getCreateFloor());
    }
    return RemoveReply.newBuilder().setExisted(store.remove(name, request.getLsn())).build();
  }

  RaiseVersionReply raiseVersion(Capability capability, RaiseVersionRequest request)
      throws WeftException {
    ObjectName name = name(capability, request.getObjectId());
    FakeObject object = store.existing(capability, name, Right.MANAGE, Right.COPY);
    object.raiseVersion(request.getVersion());
    return RaiseVersionReply.newBuilder().setVersion(object.version()).build();
  }

  FenceReply fence(Capability capability, FenceRequest request) throws WeftException {
    if (!capability.allows(Right.MANAGE)) {
      throw new WeftException(ErrorCode.CAPABILITY_INVALID, "only a manager fences");
    }
    long partition = capability.object().partition().value();
    return FenceReply.newBuilder().setEpoch(store.fence(partition, request.getEpoch())).build();
  }
}
