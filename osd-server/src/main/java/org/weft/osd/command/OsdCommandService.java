package org.weft.osd.command;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.command.read.GetAttributesHandler;
import org.weft.osd.command.read.ListPartitionsHandler;
import org.weft.osd.command.read.ReadCommands;
import org.weft.osd.command.read.StatusHandler;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.ClientGate;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.CommittedHandler;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.turn.BackgroundFigures;
import org.weft.osd.command.turn.BackgroundTurns;
import org.weft.osd.command.turn.FrameCommand;
import org.weft.osd.command.write.WriteCommands;
import org.weft.osd.store.BadBlocks;
import org.weft.osd.store.Durability;
import org.weft.osd.store.ObjectStore;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Ticker;

/**
 * Answers the commands of an OSD (DESIGN 5). It is called on event loops. There it answers what is
 * in memory, and commits small changes of that. To hand those to another thread, and to be woken by
 * it, costs more than they do. For all else it only looks up the handler, which runs on the pool
 * given; so does everything while the disk makes writers wait ({@link LoopBudget}). What is past a
 * bound is refused OVERLOADED, what its caller has given up is not executed. What comes from
 * managers in the background makes way for clients ({@link BackgroundTurns}).
 *
 * <p>Until {@link #open} every command is refused UNAVAILABLE: an OSD has its keys and fences
 * before it serves anyone (P 5.8).
 */
public final class OsdCommandService implements RpcService {
  private static final Logger LOG = LoggerFactory.getLogger(OsdCommandService.class);

  private static final long MAX_COMMANDS = 4_096;
  private static final long MAX_BYTES = 256L << 20;
  private static final int MAX_BYTES_ON_LOOP = 64 << 10;

  /** Commands by which clients read and write files. */
  private static final Set<Opcode> OF_CLIENTS =
      Collections.unmodifiableSet(
          EnumSet.of(
              Opcode.READ,
              Opcode.READ_DELTA,
              Opcode.WRITE,
              Opcode.XOR_READ_WRITE,
              Opcode.XOR_WRITE,
              Opcode.TRUNCATE,
              Opcode.PUNCH));

  private final Map<Opcode, CommandHandler> handlers;
  private final Executor pool;
  private final Ticker ticker;
  private final LoopBudget budget;
  private final BackgroundTurns background;
  private final CommandAdmission admission = new CommandAdmission(MAX_COMMANDS, MAX_BYTES);
  private volatile QuarantineListener quarantine =
      (incarnation, number) -> CompletableFuture.completedStage(null);
  private volatile BadBlocks badBlocks = BadBlocks.NONE;
  private volatile boolean open;

  /**
   * @param pool runs handlers, which do the store's IO; refuses what is too much
   * @param joinSecret with which daemons of the cluster sign
   * @param gate asked for each command of a client, before the store is
   */
  public OsdCommandService(
      ObjectStore store,
      Environment environment,
      Executor pool,
      Durability durability,
      byte[] joinSecret,
      ClientGate gate) {
    this.pool = pool;
    this.ticker = environment.ticker();
    this.budget = new LoopBudget(ticker);
    this.background = new BackgroundTurns(ticker, environment.scheduler());
    var checker =
        new CapabilityChecker(
            store, gate, environment.clock(), environment.ticker(), Runnable::run);
    this.handlers = handlers(checker, store, durability, joinSecret);
  }

  private Map<Opcode, CommandHandler> handlers(
      CapabilityChecker checker, ObjectStore store, Durability durability, byte[] joinSecret) {
    Map<Opcode, MutationHandler> mutations = WriteCommands.inBatches(checker, store);
    GetAttributesHandler attributes = new GetAttributesHandler(checker, store);
    Map<Opcode, CommandHandler> all = new EnumMap<>(Opcode.class);
    mutations.forEach((opcode, handler) -> all.put(opcode, new CommittedHandler(store, handler)));
    all.put(
        Opcode.FENCE,
        new FencingHandler(mutations.get(Opcode.FENCE), all.get(Opcode.FENCE), () -> quarantine));
    all.putAll(WriteCommands.inFrames(checker, store));
    all.put(Opcode.BATCH, new BatchHandler(store, mutations, attributes));
    all.put(Opcode.GET_ATTRIBUTES, attributes);
    all.putAll(ReadCommands.handlers(checker, store, () -> badBlocks));
    all.put(Opcode.LIST_PARTITIONS, new ListPartitionsHandler(store, joinSecret));
    all.put(Opcode.OSD_STATUS, new StatusHandler(store, durability));
    return all;
  }

  /** Told by managers that SysMgr has given the OSD up. */
  @FunctionalInterface
  public interface QuarantineListener {
    /**
     * Completes when clients are refused. It also completes when this was of another start of the
     * OSD, or of a quarantine that is over.
     */
    CompletionStage<Void> begins(long incarnation, long number);
  }

  /** Sets the listener that hears that the OSD was given up; before {@link #open}. */
  public void onGivenUp(QuarantineListener listener) {
    quarantine = listener;
  }

  /** What is known of bad blocks; before {@link #open}. */
  public void tellOf(BadBlocks known) {
    badBlocks = known;
  }

  /** Keys, partitions and fences are durable: commands are answered from now on. */
  public void open() {
    open = true;
  }

  /** No command is begun any more. */
  public void shut() {
    open = false;
    background.refuseAll(notServing());
  }

  /** What of managers' copying and comparing waits for clients. */
  public BackgroundFigures background() {
    return background.figures();
  }

  private static WeftException notServing() {
    return new WeftException(ErrorCode.UNAVAILABLE, "this OSD is not serving now; try again");
  }

  /** Something is under way that had to wait for the pool. */
  public boolean isBusy() {
    return admission.commandsUnderWay() > 0;
  }

  @Override
  public void handle(InboundRequest request) {
    Optional<Opcode> opcode = Opcode.of(request.opcodeNumber());
    CommandHandler handler = opcode.map(handlers::get).orElse(null);
    if (handler == null) {
      request.fail(UnknownCommand.refusal(request.opcodeNumber()));
      return;
    }
    if (!open) {
      request.fail(notServing());
      return;
    }
    FrameCommand command = new FrameCommand(opcode.get(), request);
    RpcPeer peer = request.peer();
    int percent = peer.backgroundPercent();
    if (percent > 0) {
      background.take(peer, percent, bytesOf(request), new InBackground(command, handler));
      return;
    }
    if (OF_CLIENTS.contains(command.opcode())) {
      background.clientCame();
    }
    begin(command, handler);
  }

  @Override
  public void disconnected(RpcPeer peer) {
    if (peer.backgroundPercent() > 0) {
      background.disconnected(peer);
    }
  }

  /** A command that makes way for clients. */
  private final class InBackground implements BackgroundTurns.Command {
    private final FrameCommand command;
    private final CommandHandler handler;

    InBackground(FrameCommand command, CommandHandler handler) {
      this.command = command;
      this.handler = handler;
    }

    @Override
    public void begin(BackgroundTurns.Turn turn, boolean here) {
      command.has(turn);
      if (here) {
        OsdCommandService.this.begin(command, handler);
      } else if (!open) {
        command.fail(notServing());
      } else {
        handOver(command, handler);
      }
    }

    @Override
    public boolean isGivenUp() {
      return command.givenUp(ticker.nowNanos()) != null;
    }

    @Override
    public void drop() {
      WeftException why = command.givenUp(ticker.nowNanos());
      refuse(
          why != null ? why : new WeftException(ErrorCode.CANCELLED, "its connection has ended"));
    }

    @Override
    public void refuse(WeftException why) {
      command.fail(why);
    }
  }

  private static int bytesOf(InboundRequest request) {
    return request.body().remaining() + request.payload().lengthBytes();
  }

  /** On an event loop, on which it is carried out if it is brief. */
  private void begin(FrameCommand command, CommandHandler handler) {
    int bodyBytes = command.request().body().remaining();
    if (bodyBytes <= MAX_BYTES_ON_LOOP && answeredNow(command, handler)) {
      return;
    }
    int bytes = bytesOf(command.request());
    if (!admission.enter(bytes)) {
      command.fail(overloaded());
      return;
    }
    if (bytes <= MAX_BYTES_ON_LOOP && isBegun(command, handler, bytes)) {
      return;
    }
    execute(command, handler, bytes);
  }

  /** The pool carries it out. */
  private void handOver(FrameCommand command, CommandHandler handler) {
    int bytes = bytesOf(command.request());
    if (admission.enter(bytes)) {
      execute(command, handler, bytes);
    } else {
      command.fail(overloaded());
    }
  }

  private void execute(FrameCommand command, CommandHandler handler, int bytes) {
    try {
      pool.execute(() -> run(command, handler, bytes));
    } catch (RejectedExecutionException e) {
      admission.leave(bytes);
      command.fail(overloaded());
    } catch (Error e) {
      // The system gives no thread. The transport answers for it; the room must not stay taken.
      admission.leave(bytes);
      throw e;
    }
  }

  /** What needs no IO is not worth another thread. */
  private static boolean answeredNow(FrameCommand command, CommandHandler handler) {
    try {
      Optional<CommandReply> answer = handler.now(command);
      answer.ifPresent(command::reply);
      return answer.isPresent();
    } catch (WeftException e) {
      command.fail(e);
      return true;
    }
  }

  /** How a command is begun: null if it has to be another way. */
  @FunctionalInterface
  private interface Beginning {
    CompletionStage<CommandReply> begin() throws WeftException;
  }

  /** Begins the command on this event loop, if it is brief and the disk keeps up. */
  private boolean isBegun(FrameCommand command, CommandHandler handler, int bytes) {
    long now = ticker.nowNanos();
    if (!budget.isLeft(now)) {
      return false;
    }
    try {
      return run(command, bytes, now, () -> handler.begin(command).orElse(null));
    } finally {
      budget.spent(now);
    }
  }

  private void run(FrameCommand command, CommandHandler handler, int bytes) {
    var unused = run(command, bytes, ticker.nowNanos(), () -> handler.handle(command));
  }

  /** False if it could not be begun this way. */
  private boolean run(FrameCommand command, int bytes, long nowNanos, Beginning beginning) {
    try {
      WeftException givenUp = command.givenUp(nowNanos);
      if (givenUp != null) {
        throw givenUp;
      }
      CompletionStage<CommandReply> answer = beginning.begin();
      if (answer == null) {
        return false;
      }
      var unused = answer.whenComplete((value, thrown) -> finish(command, bytes, value, thrown));
    } catch (WeftException e) {
      finish(command, bytes, null, e);
    } catch (RuntimeException | Error e) {
      finish(command, bytes, null, e);
      if (e instanceof Error) {
        throw e;
      }
    }
    return true;
  }

  private void finish(FrameCommand command, int bytes, CommandReply answer, Throwable thrown) {
    admission.leave(bytes);
    if (answer != null) {
      command.reply(answer);
      return;
    }
    WeftException failure = WeftException.of(thrown);
    if (failure.code() == ErrorCode.INTERNAL) {
      LOG.error("{} failed unexpectedly", command.opcode(), thrown);
    }
    command.fail(failure);
  }

  private static WeftException overloaded() {
    return new WeftException(
        ErrorCode.OVERLOADED, "this OSD has as much under way as it takes; try again later");
  }
}
