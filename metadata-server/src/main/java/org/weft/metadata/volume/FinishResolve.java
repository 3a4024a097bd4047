package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: a file whose writer went away, or lost a component, is in order again (P 5.5).
 * The grants of those who are gone end; who waits is to ask for another now.
 *
 * @param sizeBytes the length that its components know of
 */
public record FinishResolve(Lsn number, long sizeBytes) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    Optional<WriteGrant> found = on.grants().find(number);
    if (found.isEmpty() || !found.get().awaitsResolve()) {
      return Empty.getDefaultInstance();
    }
    WriteGrant grant = found.get();
    List<WriteGrant> all = on.grants().of(grant.object());
    if (on.isForsaken(grant.object()) && all.stream().allMatch(WriteGrant::resolving)) {
      new GrantEnd(on).removeOrphan(grant.object());
      return Empty.getDefaultInstance();
    }
    Attributes file =
        on.view()
            .attributes(
                grant.object(),
                grant.map().attributeHolders(on.settings().metaCopies()),
                "object " + grant.object());
    if (all.stream().anyMatch(WriteGrant::resolving)) {
      on.draft()
          .put(
              file.edit()
                  .sizeBytes(lengthOf(file))
                  .times(new Times(on.nowMillis(), on.nowMillis(), file.times().atimeMillis()))
                  .build());
    }
    // Else the writer says how long the file is: it may fill what it has left out (P 4.3).
    for (WriteGrant each : all) {
      if (each.resolving()) {
        // Nothing of it is pending any more. Who shared the file and died meanwhile was fenced
        // before it was put in order.
        on.draft().add(new LiveEffect.GrantClosed(each.number(), each.object(), Long.MAX_VALUE));
      } else if (each.renewing()) {
        on.draft().add(new LiveEffect.GrantSuperseded(each.number(), each.object()));
      }
    }
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
