package org.weft.testkit.osd;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.EnumSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AbortRequest;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.FlushRequest;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.ListRequest;
import org.weft.protocol.wire.OsdStatusReply;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.ReadDeltaRequest;
import org.weft.protocol.wire.ReadRequest;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteBlocksRequest;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/** Finds out what a request asks for, and under which capability. Single-threaded. */
final class FakeCommands {
  /** What may be an item of a BATCH. */
  private static final Set<Opcode> ITEMS =
      EnumSet.of(
          Opcode.WRITE,
          Opcode.WRITE_BLOCKS,
          Opcode.SET_ATTRIBUTES,
          Opcode.REMOVE,
          Opcode.RAISE_VERSION,
          Opcode.FENCE,
          Opcode.ABORT,
          Opcode.COMPLETE,
          Opcode.GET_ATTRIBUTES);

  private final FakeOsdStore store;
  private final FakeDataCommands data;
  private final FakeReadCommands reads;
  private final FakeManagerCommands managers;
  private final SortedSet<PartitionId> closed = new TreeSet<>();

  FakeCommands(FakeOsdStore store) {
    this.store = store;
    this.data = new FakeDataCommands(store);
    this.reads = new FakeReadCommands(store);
    this.managers = new FakeManagerCommands(store);
  }

  /** Refuses all that concerns the volume, or takes it again. */
  void close(PartitionId volume, boolean isClosed) {
    var unused = isClosed ? closed.add(volume) : closed.remove(volume);
  }

  /** The body of a reply and the bytes behind it. */
  record Answer(MessageLite body, byte[] payload) {
    Answer(MessageLite body) {
      this(body, new byte[0]);
    }
  }

  /** A request of its own, or an item of a batch. */
  private interface Command {
    <T> T parse(Parser<T> parser) throws WeftException;

    boolean signedWith(byte[] secret);
  }

  Answer execute(Opcode opcode, InboundRequest request, byte[] payload, long incarnation)
      throws WeftException {
    if (opcode == null) {
      throw new WeftException(ErrorCode.UNSUPPORTED, "no such command");
    }
    if (opcode == Opcode.OSD_STATUS) {
      return new Answer(status(incarnation));
    }
    if (opcode == Opcode.BATCH) {
      return new Answer(batch(request, incarnation));
    }
    Command command =
        new Command() {
          @Override
          public <T> T parse(Parser<T> parser) throws WeftException {
            return request.parse(parser);
          }

          @Override
          public boolean signedWith(byte[] secret) {
            return request.signedWith(secret);
          }
        };
    return execute(opcode, command, payload, incarnation);
  }

  private Answer execute(Opcode opcode, Command command, byte[] payload, long incarnation)
      throws WeftException {
    return switch (opcode) {
      case WRITE -> {
        WriteRequest write = command.parse(WriteRequest.parser());
        yield new Answer(data.write(capability(write.getCapability(), command), write, payload));
      }
      case XOR_READ_WRITE -> {
        XorReadWriteRequest xor = command.parse(XorReadWriteRequest.parser());
        var delta = data.xorReadWrite(capability(xor.getCapability(), command), xor, payload);
        yield new Answer(delta.reply(), delta.payload());
      }
      case XOR_WRITE -> {
        XorWriteRequest xor = command.parse(XorWriteRequest.parser());
        yield new Answer(data.xorWrite(capability(xor.getCapability(), command), xor, payload));
      }
      case ABORT -> {
        AbortRequest abort = command.parse(AbortRequest.parser());
        yield new Answer(data.abort(capability(abort.getCapability(), command), abort));
      }
      case COMPLETE -> {
        CompleteRequest complete = command.parse(CompleteRequest.parser());
        yield new Answer(data.complete(capability(complete.getCapability(), command), complete));
      }
      case TRUNCATE -> {
        TruncateRequest truncate = command.parse(TruncateRequest.parser());
        yield new Answer(data.truncate(capability(truncate.getCapability(), command), truncate));
      }
      case PUNCH -> {
        PunchRequest punch = command.parse(PunchRequest.parser());
        yield new Answer(data.punch(capability(punch.getCapability(), command), punch));
      }
      case FLUSH -> {
        FlushRequest flush = command.parse(FlushRequest.parser());
        yield new Answer(data.flush(capability(flush.getCapability(), command), flush));
      }
      case WRITE_BLOCKS -> {
        WriteBlocksRequest blocks = command.parse(WriteBlocksRequest.parser());
        Capability capability = capability(blocks.getCapability(), command);
        yield new Answer(managers.writeBlocks(capability, blocks, payload, incarnation));
      }
      case SET_ATTRIBUTES -> {
        SetAttributesRequest set = command.parse(SetAttributesRequest.parser());
        yield new Answer(managers.setAttributes(capability(set.getCapability(), command), set));
      }
      case REMOVE -> {
        RemoveRequest remove = command.parse(RemoveRequest.parser());
        yield new Answer(managers.remove(capability(remove.getCapability(), command), remove));
      }
      case RAISE_VERSION -> {
        RaiseVersionRequest raise = command.parse(RaiseVersionRequest.parser());
        yield new Answer(managers.raiseVersion(capability(raise.getCapability(), command), raise));
      }
      case FENCE -> {
        FenceRequest fence = command.parse(FenceRequest.parser());
        yield new Answer(managers.fence(capability(fence.getCapability(), command), fence));
      }
      default -> ask(opcode, command);
    };
  }

  private Answer ask(Opcode opcode, Command command) throws WeftException {
    return switch (opcode) {
      case READ -> {
        ReadRequest read = command.parse(ReadRequest.parser());
        var result = reads.read(capability(read.getCapability(), command), read);
        yield new Answer(result.reply(), result.payload());
      }
      case GET_STAMP -> {
        GetStampRequest stamp = command.parse(GetStampRequest.parser());
        yield new Answer(reads.stamp(capability(stamp.getCapability(), command), stamp));
      }
      case GET_ATTRIBUTES -> {
        GetAttributesRequest get = command.parse(GetAttributesRequest.parser());
        yield new Answer(reads.attributes(capability(get.getCapability(), command), get));
      }
      case LIST -> {
        ListRequest list = command.parse(ListRequest.parser());
        yield new Answer(reads.list(capability(list.getCapability(), command), list));
      }
      case LIST_PENDING -> {
        ListPendingRequest list = command.parse(ListPendingRequest.parser());
        yield new Answer(reads.listPending(capability(list.getCapability(), command), list));
      }
      case READ_DELTA -> {
        ReadDeltaRequest read = command.parse(ReadDeltaRequest.parser());
        var delta = reads.readDelta(capability(read.getCapability(), command), read);
        yield new Answer(delta.reply(), delta.payload());
      }
      default ->
          throw new WeftException(ErrorCode.UNSUPPORTED, "the fake OSD does not know " + opcode);
    };
  }

  private Capability capability(ByteString encoded, Command command) throws WeftException {
    byte[] secret = Hmac.sha256(store.workingKey(), encoded.toByteArray());
    if (!command.signedWith(secret)) {
      throw new WeftException(
          ErrorCode.CAPABILITY_INVALID, "the request is not signed with its capability");
    }
    Capability capability = Capability.decode(encoded.asReadOnlyByteBuffer());
    if (closed.contains(capability.object().partition())) {
      throw new WeftException(
          ErrorCode.QUARANTINED, "the volume's manager has not compared it yet");
    }
    return capability;
  }

  private BatchReply batch(InboundRequest request, long incarnation) throws WeftException {
    BatchReply.Builder reply = BatchReply.newBuilder();
    int index = 0;
    for (BatchItem item : request.parse(BatchRequest.parser()).getItemsList()) {
      reply.addItems(item(request, index++, item, incarnation));
    }
    return reply.build();
  }

  private BatchItemReply item(InboundRequest request, int index, BatchItem item, long incarnation) {
    Command command =
        new Command() {
          @Override
          public <T> T parse(Parser<T> parser) throws WeftException {
            try {
              return parser.parseFrom(item.getBody());
            } catch (InvalidProtocolBufferException e) {
              throw new WeftException(ErrorCode.MALFORMED, "not such an item: " + e, e);
            }
          }

          @Override
          public boolean signedWith(byte[] secret) {
            return request.itemSignedWith(
                secret,
                index,
                item.getOpcode(),
                item.getBody().asReadOnlyByteBuffer(),
                item.getMac().toByteArray());
          }
        };
    try {
      Opcode opcode = Opcode.of(item.getOpcode()).filter(ITEMS::contains).orElse(null);
      if (opcode == null) {
        throw new WeftException(ErrorCode.UNSUPPORTED, "no item of a BATCH: " + item.getOpcode());
      }
      Answer answer = execute(opcode, command, item.getPayload().toByteArray(), incarnation);
      return BatchItemReply.newBuilder()
          .setBody(answer.body().toByteString())
          .setPayload(ByteString.copyFrom(answer.payload()))
          .build();
    } catch (WeftException e) {
      return BatchItemReply.newBuilder()
          .setError(e.code().number())
          .setMessage(e.getMessage())
          .build();
    }
  }

  private OsdStatusReply status(long incarnation) {
    return OsdStatusReply.newBuilder()
        .setObjects(store.objects().size())
        .setDurableCheckpoint(1)
        .setDurability("write-back")
        .setIncarnation(incarnation)
        .build();
  }
}
