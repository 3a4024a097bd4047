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
    on.draft()
        .put(
            file.edit()
                .sizeBytes(lengthOf(file))
                .times(new Times(on.nowMillis(), on.nowMillis(), file.times().atimeMillis()))
                .build());
    // Nothing on the file is pending any more: writes were either kept or overwritten. Who shared
    // it and died meanwhile was fenced before it was put in order.
    all.stream()
        .filter(WriteGrant::resolving)
        .forEach(
            dead ->
                on.draft()
                    .add(new LiveEffect.GrantClosed(dead.number(), dead.object(), Long.MAX_VALUE)));
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
