package org.weft.client.volume;

import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.ListQuotasReply;
import org.weft.protocol.wire.ListQuotasRequest;
import org.weft.protocol.wire.QuotaLimitsMessage;
import org.weft.protocol.wire.SetQuotaReply;
import org.weft.protocol.wire.SetQuotaRequest;
import org.weft.protocol.wire.StatfsReply;
import org.weft.protocol.wire.StatfsRequest;

/** Quotas of a volume (P 6.6a). Thread-safe; futures complete as those of {@link VolumeCalls}. */
public final class QuotaCalls {
  /** Quotas asked for at a time. */
  private static final int PAGE = 100;

  private final VolumeSession session;

  QuotaCalls(VolumeSession session) {
    this.session = session;
  }

  /** Limits what the directory's tree may hold; no limits at all clear the quota. */
  public CompletableFuture<SetQuotaReply> set(String path, QuotaLimitsMessage limits) {
    VolumeMount mount = session.mount();
    return session
        .call(
            VolumeRequest.once(
                Opcode.SET_QUOTA,
                path,
                context ->
                    SetQuotaRequest.newBuilder()
                        .setContext(context)
                        .setNode(mount.node(path))
                        .setShownPath(mount.within(path))
                        .setLimits(limits)
                        .build(),
                SetQuotaReply.parser()))
        .thenApply(SessionReply::body);
  }

  /** The quotas that the path is under. */
  public CompletableFuture<ListQuotasReply> of(String path) {
    return list(path, request -> request.setNode(session.mount().node(path)));
  }

  /** All quotas of the volume, fetched in pages: one that is set meanwhile may be missing. */
  public CompletableFuture<ListQuotasReply> all() {
    return pages(ListQuotasReply.newBuilder(), 0);
  }

  private CompletableFuture<ListQuotasReply> pages(ListQuotasReply.Builder before, long after) {
    return list(session.mount().path(), request -> request.setAfter(after).setMost(PAGE))
        .thenCompose(
            page -> {
              before.addAllQuota(page.getQuotaList());
              return page.getNext() == 0
                  ? CompletableFuture.completedFuture(before.build())
                  : pages(before, page.getNext());
            });
  }

  private CompletableFuture<ListQuotasReply> list(
      String path, UnaryOperator<ListQuotasRequest.Builder> what) {
    return session
        .call(
            VolumeRequest.repeatable(
                Opcode.LIST_QUOTAS,
                path,
                context -> what.apply(ListQuotasRequest.newBuilder().setContext(context)).build(),
                ListQuotasReply.parser()))
        .thenApply(SessionReply::body);
  }

  /** The space of the volume, and what quotas leave of it at the path. */
  public CompletableFuture<StatfsReply> space(String path) {
    VolumeMount mount = session.mount();
    return space(path, request -> request.setNode(mount.node(path)));
  }

  /** The same of a node by its number, for trusted sessions. */
  public CompletableFuture<StatfsReply> spaceOf(long objectId) {
    return space(session.mount().path(), request -> request.setNodeId(objectId));
  }

  private CompletableFuture<StatfsReply> space(
      String path, UnaryOperator<StatfsRequest.Builder> node) {
    return session
        .call(
            VolumeRequest.repeatable(
                Opcode.STATFS,
                path,
                context -> node.apply(StatfsRequest.newBuilder().setContext(context)).build(),
                StatfsReply.parser()))
        .thenApply(SessionReply::body);
  }
}
