package org.weft.metadata.volume.operation.volume;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.Nodes;
import org.weft.metadata.volume.state.VolumeSettings;
import org.weft.protocol.capability.HandleKey;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: makes the root directory of a new volume, which is the superuser's, and the
 * key that its handles are signed with.
 */
public record FormatVolume() implements Operation {
  private static final int ROOT_MODE = 0755;

  @Override
  public MessageLite execute(Execution on) throws WeftException {
    created(on);
    makeRoot(on);
    return Empty.getDefaultInstance();
  }

  /** The volume is there, without a root, and with a new key of NFS handles. */
  public static void created(Execution on) {
    VolumeSettings settings = on.settings();
    on.draft()
        .add(
            new LiveEffect.VolumeCreated(
                settings.volume(),
                settings.metaCopies(),
                on.nowMillis(),
                Optional.of(HandleKey.draw(on.random()))));
  }

  /** Makes its root, which is empty and the superuser's. */
  public static void makeRoot(Execution on) throws WeftException {
    new Nodes(on)
        .newRoot(
            on.placement().directory(),
            on.settings().superuser(),
            Credentials.SUPERGROUP,
            ROOT_MODE);
  }
}
