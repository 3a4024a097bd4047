package org.weft.sysmgr.configuration.stored;

import com.google.protobuf.InvalidProtocolBufferException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.AcquiredAnswer;
import org.weft.protocol.wire.ConfigurationAnswer;
import org.weft.protocol.wire.DoneAnswer;
import org.weft.protocol.wire.JoinedAnswer;
import org.weft.protocol.wire.RefusedAnswer;
import org.weft.sysmgr.configuration.command.CommandResult;

/** Answers on their way back through the log: {@code ConfigurationAnswer} of sysmgr-state.proto. */
public final class AnswerCodec {
  private AnswerCodec() {}

  public static byte[] encode(CommandResult answer) {
    ConfigurationAnswer.Builder stored = ConfigurationAnswer.newBuilder();
    if (answer instanceof CommandResult.Refused refused) {
      stored.setRefused(
          RefusedAnswer.newBuilder()
              .setCode(refused.code().number())
              .setMessage(refused.message()));
    } else if (answer instanceof CommandResult.Done) {
      stored.setDone(DoneAnswer.getDefaultInstance());
    } else if (answer instanceof CommandResult.Joined joined) {
      stored.setJoined(JoinedAnswer.newBuilder().setNodeId(joined.nodeId()));
    } else if (answer instanceof CommandResult.Acquired acquired) {
      AcquiredAnswer.Builder volumes = AcquiredAnswer.newBuilder();
      acquired.volumes().forEach(volume -> volumes.addVolumeIds(volume.value()));
      stored.setAcquired(volumes);
    } else {
      throw new AssertionError("unhandled answer: " + answer);
    }
    return stored.build().toByteArray();
  }

  /** Reads an answer; anything else is an IllegalArgumentException. */
  public static CommandResult decode(byte[] bytes) {
    try {
      ConfigurationAnswer stored = ConfigurationAnswer.parseFrom(bytes);
      return switch (stored.getAnswerCase()) {
        case REFUSED ->
            new CommandResult.Refused(
                ErrorCode.of(stored.getRefused().getCode()), stored.getRefused().getMessage());
        case DONE -> new CommandResult.Done();
        case JOINED -> new CommandResult.Joined(stored.getJoined().getNodeId());
        case ACQUIRED ->
            new CommandResult.Acquired(
                stored.getAcquired().getVolumeIdsList().stream().map(PartitionId::new).toList());
        case ANSWER_NOT_SET ->
            throw new IllegalArgumentException("an answer that this release does not know");
      };
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("an answer that cannot be read: " + e.getMessage(), e);
    }
  }
}
