package org.weft.osd.contract;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.osd.contract.ContractCalls.Call;
import org.weft.osd.contract.ContractOsd.Answer;
import org.weft.osd.harness.Blocks;
import org.weft.protocol.id.WriteId;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AbortReply;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetStampReply;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.ReadReply;
import org.weft.protocol.wire.Stamp;

/** What of an answer any OSD must say alike. */
final class Likeness {
  private static final List<String> OWN_NUMBERS =
      List.of("pending_checkpoint", "durable_checkpoint", "used_bytes", "component_bytes", "state");

  private Likeness() {}

  /** Equal for answers that mean the same. */
  static Object of(Call call, Answer answer) {
    if (answer.error() != null) {
      return answer.error();
    }
    MessageLite body = answer.body();
    if (body instanceof ReadReply read) {
      SortedMap<Long, String> blocks = new TreeMap<>();
      contents(read, answer.payload(), blocks);
      return List.of(
          blocks,
          stamps(read.getStampsList()),
          read.getPending(),
          read.getEof(),
          read.getTruncationNumber());
    } else if (body instanceof GetStampReply stamps) {
      return List.of(stamps(stamps.getStampsList()), stamps.getPending());
    }
    if (body instanceof BatchReply batch) {
      return items((BatchRequest) call.body(), batch);
    }
    return List.of(general((Message) body), Arrays.hashCode(answer.payload()));
  }

  /**
   * Of each item whether it was refused, and whether an ABORT undid anything. Why it was refused
   * may differ: some things are looked at before the first item is committed, too.
   */
  private static List<Object> items(BatchRequest request, BatchReply reply) {
    List<Object> items = new ArrayList<>();
    for (int i = 0; i < reply.getItemsCount(); i++) {
      BatchItemReply item = reply.getItems(i);
      items.add(item.getError() == 0);
      if (item.getError() == 0 && request.getItems(i).getOpcode() == Opcode.ABORT.number()) {
        try {
          items.add(AbortReply.parseFrom(item.getBody()).getUndone());
        } catch (InvalidProtocolBufferException e) {
          throw new AssertionError(e);
        }
      }
    }
    return items;
  }

  private static Message general(Message body) {
    Message.Builder builder = body.toBuilder();
    for (FieldDescriptor field : body.getDescriptorForType().getFields()) {
      if (OWN_NUMBERS.contains(field.getName())) {
        builder.clearField(field);
      }
    }
    return builder.build();
  }

  /** Blocks that hold nothing but zeros count as not stored. */
  private static void contents(ReadReply reply, byte[] payload, SortedMap<Long, String> into) {
    int at = 0;
    int index = 0;
    for (BlockRun run : reply.getRunsList()) {
      for (int i = 0; i < run.getBlockCount(); i++) {
        int crc = Blocks.crc(payload, at, Blocks.BLOCK_BYTES);
        if (crc != reply.getBlockCrc(index)) {
          throw new AssertionError("block " + (run.getFirstBlock() + i) + " has a bad checksum");
        }
        byte[] block = Arrays.copyOfRange(payload, at, at + Blocks.BLOCK_BYTES);
        if (!Arrays.equals(block, new byte[Blocks.BLOCK_BYTES])) {
          into.put(run.getFirstBlock() + i, "%08x/%08x".formatted(crc, Arrays.hashCode(block)));
        }
        at += Blocks.BLOCK_BYTES;
        index++;
      }
    }
    if (at != payload.length || index != reply.getBlockCrcCount()) {
      throw new AssertionError("payload, runs and checksums of a read do not agree");
    }
  }

  private static SortedMap<Long, WriteId> stamps(List<Stamp> stamps) {
    SortedMap<Long, WriteId> blocks = new TreeMap<>();
    for (Stamp stamp : stamps) {
      for (int i = 0; i < stamp.getBlockCount(); i++) {
        blocks.put(stamp.getFirstBlock() + i, new WriteId(stamp.getGrant(), stamp.getSeq()));
      }
    }
    return blocks;
  }

  /**
   * Where the component ends: the real store may remember an end that nothing reaches any more.
   *
   * @return -1 if the answer says nothing of it
   */
  static long componentBytes(Answer answer) {
    if (answer.body() instanceof ListPendingReply list) {
      return list.getComponentBytes();
    } else if (answer.body() instanceof GetAttributesReply attributes) {
      return attributes.getComponentBytes();
    }
    return -1;
  }
}
