package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: a file whose writer went away is in order again, and its grant ends (P 5.5).
 *
 * @param sizeBytes the length that its components know of
 */
public record FinishResolve(Lsn number, long sizeBytes) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    Optional<WriteGrant> found = on.grants().find(number);
    if (found.isEmpty()) {
      return Empty.getDefaultInstance();
    }
    WriteGrant grant = found.get();
    if (on.isForsaken(grant.object())) {
      new GrantEnd(on).removeOrphan(grant);
      return Empty.getDefaultInstance();
    }
    Attributes file =
        on.view()
            .attributes(
                grant.object(),
                grant.map().attributeHolders(on.settings().metaCopies()),
                "object " + grant.object());
    on.draft()
        .put(
            file.edit()
                .sizeBytes(lengthOf(file))
                .times(new Times(on.nowMillis(), on.nowMillis(), file.times().atimeMillis()))
                .build());
    // Nothing of this grant is pending any more: its writes were either kept or overwritten.
    on.draft().add(new LiveEffect.GrantClosed(number, grant.object(), Long.MAX_VALUE));
    return Empty.getDefaultInstance();
  }

  /**
   * What was published stays (P 4.3, 6.5). Nobody writes behind a cut that is not finished, so that
   * what components have there is from before it.
   */
  private long lengthOf(Attributes file) {
    return file.truncation().trimBytes().isPresent()
        ? file.sizeBytes()
        : Math.max(sizeBytes, file.sizeBytes());
  }
}
