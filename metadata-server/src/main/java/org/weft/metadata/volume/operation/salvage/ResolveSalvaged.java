package org.weft.metadata.volume.operation.salvage;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own, when it recovers a volume from its OSDs (P 6.8e): the file counts as abandoned
 * by its writer, whichever that was. Once the volume is served the file is put in order as all such
 * files are (P 5.5). No client is granted it for writing before that.
 */
public record ResolveSalvaged(Attributes file) implements Operation {
  private static final String UNKNOWN = "a client of before the recovery";

  /** Nothing is known of earlier grants: whatever is pending is to be decided. */
  private static final Lsn FIRST_OF_ALL = new Lsn(1);

  @Override
  public MessageLite execute(Execution on) {
    Lsn number = on.draft().lsn();
    on.draft()
        .add(
            new LiveEffect.GrantOpened(
                number,
                FIRST_OF_ALL,
                file.object(),
                WriteGrant.NO_SESSION,
                file.map(),
                on.nowMillis(),
                UNKNOWN));
    on.draft().add(new LiveEffect.GrantResolving(number, file.object()));
    return Empty.getDefaultInstance();
  }
}
