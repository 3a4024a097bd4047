package org.weft.metadata.rpc;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.backup.BackupCopies;
import org.weft.metadata.help.CopyWorker;
import org.weft.metadata.serving.client.ControlConnections;
import org.weft.metadata.serving.request.AnswerSink;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.session.OpenSession;
import org.weft.metadata.volume.operation.session.RefuseStranger;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcService;

/**
 * Answers the requests of clients. Called on event loops: reads, hands over, and returns. A request
 * of a session is carried out only if it is signed with the session's secret (P 6.5). Only then it
 * counts as a sign of life.
 */
public final class ManagerRpcService implements RpcService {
  private final Volumes volumes;
  private final ControlConnections controls;
  private final BackupCopies copies;
  private final CopyWorker worker;
  private final byte[] joinSecret;

  /**
   * @param controls learns by which connections sessions speak, and on which they are asked to give
   *     ranges back
   * @param copies takes what primaries of other managers send
   * @param worker copies components for them
   * @param joinSecret made from the join token; a client that opens a trusted session signs with it
   */
  public ManagerRpcService(
      Volumes volumes,
      ControlConnections controls,
      BackupCopies copies,
      CopyWorker worker,
      byte[] joinSecret) {
    this.volumes = volumes;
    this.controls = controls;
    this.copies = copies;
    this.worker = worker;
    this.joinSecret = joinSecret.clone();
  }

  @Override
  public void handle(InboundRequest request) {
    if (BackupCopies.takes(request.opcodeNumber())) {
      copies.handle(request);
      return;
    }
    if (CopyWorker.takes(request.opcodeNumber())) {
      worker.handle(request);
      return;
    }
    try {
      VolumeOperation read = RequestReader.read(request);
      Optional<SessionId> session = read.session();
      if (session.isEmpty()) {
        requireProof(read.operation(), request);
        volumes.submit(read.volumeId(), null, read.operation(), new Sink(request));
      } else if (volumes.isHolder(read.volumeId(), session.get(), request::signedWith)) {
        controls.heard(new PartitionId(read.volumeId()), session.get(), request.peer());
        volumes.submit(read.volumeId(), read.caller(), read.operation(), sink(read, request));
      } else {
        RefuseStranger refusal = new RefuseStranger(session.get(), request::signedWith);
        volumes.submit(read.volumeId(), null, refusal, new Sink(request));
      }
    } catch (WeftException e) {
      request.fail(e);
    }
  }

  /**
   * The frame's MAC is made with a key that only daemons have. It covers this connection's nonce,
   * its counter and the request. So it opens one session, once.
   */
  private void requireProof(Operation operation, InboundRequest request) throws WeftException {
    boolean trusted = operation instanceof OpenSession opening && opening.trusted();
    if (trusted && !request.signedWith(joinSecret)) {
      throw new WeftException(
          ErrorCode.UNAUTHENTICATED,
          "a trusted session was asked for without the cluster's join token, or with another's; give"
              + " the gateway the join token that SysMgr shows");
    }
  }

  /** A session's holder that renews it on a control connection is spoken to there from now on. */
  private AnswerSink sink(VolumeOperation read, InboundRequest request) {
    AnswerSink sink = new Sink(request);
    return request.peer().control() && read.operation() instanceof RenewSession renewal
        ? new Binding(sink, read.volumeId(), renewal.session(), request, controls)
        : sink;
  }

  @Override
  public void disconnected(RpcPeer peer) {
    controls.ended(peer);
  }

  /** A session that is renewed on a control connection is spoken to there (P 6.5). */
  private record Binding(
      AnswerSink inner,
      long volumeId,
      SessionId session,
      InboundRequest request,
      ControlConnections controls)
      implements AnswerSink {
    @Override
    public void reply(MessageLite body, Lsn seen) {
      controls.bind(new PartitionId(volumeId), session, request.peer());
      if (request.cancelled()) {
        // It may have ended before it was bound.
        controls.ended(request.peer());
      }
      inner.reply(body, seen);
    }

    @Override
    public void refuse(WeftException why) {
      inner.refuse(why);
    }

    @Override
    public boolean abandoned() {
      return inner.abandoned();
    }
  }

  private record Sink(InboundRequest request) implements AnswerSink {
    @Override
    public void reply(MessageLite body, Lsn seen) {
      request.reply(body);
    }

    @Override
    public void refuse(WeftException why) {
      request.fail(why);
    }

    @Override
    public boolean abandoned() {
      return request.cancelled();
    }
  }
}
