package org.weft.sysmgr.replication.ratis;

import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.ReplicatedLog;

/**
 * Lets Ratis drive a {@link ReplicatedLog.Machine}. Ratis applies entries and takes snapshots on
 * one thread, and loads them on it or before it starts. A machine that throws ends this member: its
 * state would no longer be that of the others.
 */
final class RatisMachine extends BaseStateMachine {
  private static final Logger LOGGER = LoggerFactory.getLogger(RatisMachine.class);

  private final ReplicatedLog.Machine machine;
  private final ClientId proposer;
  private final SnapshotStorage storage = new SnapshotStorage();
  private final CompletableFuture<Void> shutDown = new CompletableFuture<>();

  /**
   * @param proposer the only client whose requests are taken: this process, by a random id of 128
   *     bits
   */
  RatisMachine(ReplicatedLog.Machine machine, ClientId proposer) {
    this.machine = machine;
    this.proposer = proposer;
  }

  /** Completes when Ratis has closed this member, for whatever reason. */
  CompletionStage<Void> shutDown() {
    return shutDown;
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId groupId, RaftStorage raftStorage)
      throws IOException {
    getLifeCycle()
        .startAndTransition(
            () -> {
              super.initialize(server, groupId, raftStorage);
              storage.init(raftStorage);
              load(storage.getLatestSnapshot());
            });
  }

  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  /** Another member has sent a snapshot. */
  @Override
  public void reinitialize() throws IOException {
    load(storage.loadLatestSnapshot());
    if (getLifeCycleState() == LifeCycle.State.PAUSED) {
      getLifeCycle().transition(LifeCycle.State.STARTING);
      getLifeCycle().transition(LifeCycle.State.RUNNING);
    }
  }

  private void load(SingleFileSnapshotInfo snapshot) throws IOException {
    if (snapshot == null) {
      return;
    }
    File file = snapshot.getFile().getPath().toFile();
    MD5Hash digest = snapshot.getFile().getFileDigest();
    if (digest != null) {
      MD5FileUtil.verifySavedMD5(file, digest);
    }
    try (InputStream source = new BufferedInputStream(Files.newInputStream(file.toPath()))) {
      machine.load(source);
    }
    setLastAppliedTermIndex(snapshot.getTermIndex());
  }

  /**
   * Refuses what must not reach the log: every start of every member would meet it again. A request
   * of another client is refused, and so is a command that the machine cannot read.
   */
  @Override
  public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
    TransactionContext transaction = super.startTransaction(request);
    if (!request.getClientId().equals(proposer)) {
      transaction.setException(
          new RefusedRequestException("only SysMgr itself changes its log", null));
      return transaction;
    }
    try {
      machine.check(request.getMessage().getContent().toByteArray());
    } catch (IllegalArgumentException e) {
      transaction.setException(
          new RefusedRequestException("refused before it reached the log: " + e.getMessage(), e));
    }
    return transaction;
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    byte[] command = entry.getStateMachineLogEntry().getLogData().toByteArray();
    byte[] answer = apply(entry.getIndex(), command);
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    return CompletableFuture.completedFuture(Message.valueOf(ByteString.copyFrom(answer)));
  }

  private byte[] apply(long index, byte[] command) {
    try {
      return machine.apply(index, command);
    } catch (RuntimeException | Error e) {
      shutDown.completeExceptionally(e);
      throw e;
    }
  }

  /** Reads ask for nothing but to have waited: a barrier. */
  @Override
  public CompletableFuture<Message> query(Message request) {
    return CompletableFuture.completedFuture(Message.EMPTY);
  }

  @Override
  public long takeSnapshot() throws IOException {
    TermIndex last = getLastAppliedTermIndex();
    if (last == null || last.getIndex() < 0) {
      return RaftLog.INVALID_LOG_INDEX;
    }
    File file = storage.getSnapshotFile(last.getTerm(), last.getIndex());
    MD5Hash digest = SnapshotFile.write(file.toPath(), machine);
    storage.updateLatestSnapshot(
        new SingleFileSnapshotInfo(new FileInfo(file.toPath(), digest), last));
    return last.getIndex();
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return storage;
  }

  /**
   * The log's disk refuses. Ratis would go on without committing anything more, so the member ends;
   * not on this thread, for which the end waits.
   */
  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto entry) {
    LOGGER.error("the replicated log cannot be written, this SysMgr member ends", cause);
    if (shutDown.completeExceptionally(
        new IOException("the replicated log cannot be written: " + cause, cause))) {
      Thread closing = new Thread(this::closeServer, "weft-ratis-close");
      closing.setDaemon(true);
      closing.start();
    }
  }

  private void closeServer() {
    try {
      getServer().join().close();
    } catch (IOException e) {
      LOGGER.error("the replicated log could not be closed", e);
    }
  }

  @Override
  public void notifyServerShutdown(RoleInfoProto role, boolean allServer) {
    shutDown.complete(null);
  }
}
