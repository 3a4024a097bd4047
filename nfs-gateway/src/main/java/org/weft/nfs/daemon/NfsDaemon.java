package org.weft.nfs.daemon;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.NfsAdmin;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.NamedFiles;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.exports.WaitingCalls;
import org.weft.nfs.files.FileService;
import org.weft.nfs.host.HostAccounts;
import org.weft.nfs.host.HostCommands;
import org.weft.nfs.host.HostTable;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.ForgottenHosts;
import org.weft.nfs.locks.LockManagerCalls;
import org.weft.nfs.locks.Nsm1;
import org.weft.nfs.locks.procedure.Nlm4;
import org.weft.nfs.monitor.ClientMonitor;
import org.weft.nfs.monitor.HostAddresses;
import org.weft.nfs.monitor.StatusMonitorCalls;
import org.weft.nfs.mount.Mount3;
import org.weft.nfs.oncrpc.CallObserver;
import org.weft.nfs.oncrpc.OncRpcListener;
import org.weft.nfs.oncrpc.OncRpcOptions;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcFailedException;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.portmap.HostPortmapper;
import org.weft.nfs.portmap.Portmapper;
import org.weft.nfs.portmap.Registration;
import org.weft.nfs.v3.Nfs3;
import org.weft.nfs.weft.WeftFileService;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.NfsGatewayReply;
import org.weft.protocol.wire.NfsGatewayRequest;

/**
 * An NFS gateway: joins the cluster with its token, serves what SysMgr says is exported, and
 * follows its changes. It keeps nothing on a disk. A killed gateway loses what was written UNSTABLE
 * and not committed. The next gateway has another write verifier, so clients send these bytes
 * again. All else that was answered is durable where {@link WeftFileService} says.
 */
public final class NfsDaemon implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NfsDaemon.class);

  /** SysMgr may start after this process, or be slow while a whole site starts. */
  private static final int JOIN_TIMEOUT_MILLIS = 300_000;

  private static final int GRACE_MILLIS = 5_000;

  /** For managers to serve; then the gateway listens without them. */
  private static final int FIRST_LOOK_MILLIS = 10_000;

  private static final int LEAVE_MILLIS = 3_000;
  private static final int LISTENER_MILLIS = 15_000;
  private static final int MIN_THREADS = 2;

  /** Threads that ask the host; each question may take some seconds. */
  private static final int LOOKUP_THREADS = 4;

  private static final int MAX_LOOKUPS = 1_000;

  private final NfsOptions options;
  private final Environment environment;
  private final OwnedExecutor home;
  private final ProcedureFigures figures = new ProcedureFigures();
  private final CallbackFigures callbacks = new CallbackFigures();
  private final SeenClients clients;
  private final OncRpcTransport transport;
  private final ReachedCluster cluster;
  private final long startId;
  private final OwnedExecutor lookups;
  private final HostTable host;
  private final WaitingCalls waits;
  private ClusterView view;
  private PolicyWatch watch;
  private Mount3 mount;
  private ClientLocks locks;
  private ClientMonitor monitor;
  private DatagramServices datagrams;
  private final ToldLocks toldLocks = new ToldLocks();
  private final ForgottenHosts forgottenHosts = new ForgottenHosts();
  private volatile OncRpcListener listener;
  private Optional<OncRpcListener> portmapListener = Optional.empty();
  private Optional<HostPortmapper> hostPortmapper = Optional.empty();
  private List<Registration> registrations = List.of();

  private NfsDaemon(NfsOptions options, Environment environment, HostAccounts accounts) {
    this.options = options;
    this.environment = environment;
    this.home = environment.scheduler().newSerialExecutor("nfs-gateway");
    this.clients = new SeenClients(environment.ticker());
    CallObserver both =
        (call, nanos, refused) -> {
          figures.answered(call, nanos, refused);
          clients.answered(call, nanos, refused);
        };
    this.transport =
        new OncRpcTransport(
            limits(options),
            environment.scheduler(),
            environment.ticker(),
            environment.random(),
            both);
    this.cluster = new ReachedCluster(options, environment, home);
    this.startId = environment.random().nextLong();
    this.lookups = environment.scheduler().newPool("nfs-host", LOOKUP_THREADS, MAX_LOOKUPS);
    this.host = new HostTable(accounts, lookups, environment.ticker());
    this.waits = new WaitingCalls(environment.scheduler(), home);
  }

  private static OncRpcOptions limits(NfsOptions options) {
    OncRpcOptions usual = OncRpcOptions.USUAL;
    return new OncRpcOptions(
        Math.max(MIN_THREADS, Runtime.getRuntime().availableProcessors() / 2),
        usual.mostConnections(),
        usual.mostRecordBytes(),
        usual.mostCallsUnderWay(),
        usual.mostBytesUnderWay(),
        options.memoryBytes(),
        usual.stallMillis(),
        usual.stopGraceMillis(),
        usual.keptReplies());
  }

  /**
   * Starts a gateway, and waits until it has SysMgr's exports and listens. Where managers are away
   * its clients wait. Fails with UNAUTHENTICATED if the join token is wrong, UNAVAILABLE if no
   * SysMgr answers in time or the address is taken.
   */
  public static NfsDaemon start(NfsOptions options, Environment environment) throws IOException {
    return start(options, environment, new HostCommands(environment.scheduler()));
  }

  /** The same with a host that knows these users and groups. */
  public static NfsDaemon start(NfsOptions options, Environment environment, HostAccounts accounts)
      throws IOException {
    NfsDaemon daemon = new NfsDaemon(options, environment, accounts);
    try {
      daemon.begin();
      return daemon;
    } catch (IOException | RuntimeException e) {
      daemon.release();
      throw e;
    }
  }

  private void heard(NfsGatewayReply reply) {
    toldLocks.heard(reply, locks);
    reply
        .getForgottenList()
        .forEach(
            each -> forgottenHosts.forget(each.getWish(), each.getHost(), each.getName(), locks));
  }

  private void begin() throws IOException {
    byte[] secret = JoinSecret.of(options.joinToken());
    ClusterViewOptions wanted =
        new ClusterViewOptions(
            options.sysmgrs(),
            Optional.empty(),
            "nfs",
            ClusterViewOptions.DEFAULT_CALL_TIMEOUT_MILLIS,
            JOIN_TIMEOUT_MILLIS,
            ClusterViewOptions.DEFAULT_REFRESH_MILLIS,
            false,
            Optional.of(secret));
    view = await(ClusterView.open(wanted, environment, home), JOIN_TIMEOUT_MILLIS + GRACE_MILLIS);
    cluster.start();
    transport.suspectAfter(cluster::lostSessions);
    WeftFileService ofCluster =
        new WeftFileService(cluster::files, options.memoryBytes() / 2, environment);
    FileService files =
        options.hostIds()
            ? new NamedFiles(ofCluster, () -> watch.policy().identities(), waits)
            : ofCluster;
    watch =
        new PolicyWatch(
            new NfsAdmin(view),
            secret,
            this::says,
            this::heard,
            cluster::find,
            host,
            options.hostIds(),
            environment,
            home);
    Gatekeeper gate = new Gatekeeper(watch::policy, waits);
    mount = new Mount3(files, gate, environment.scheduler(), environment.ticker());
    HostAddresses addresses = new HostAddresses(InetAddress.getByName(options.listen().host()));
    monitor =
        new ClientMonitor(
            new SysmgrRecords(
                new NfsAdmin(view),
                secret,
                () -> listener.address().getPort(),
                () -> advertised(listener)),
            callbacks.counting(
                new StatusMonitorCalls(
                    transport, options.clientPortmapPort(), environment.random(), home)),
            addresses,
            environment);
    LockManagerCalls lockManagers =
        new LockManagerCalls(transport, options.clientPortmapPort(), environment, home);
    locks =
        ClientLocks.start(
            cluster::lockable, callbacks.counting(lockManagers), monitor, environment);
    datagrams = new DatagramServices(transport, addresses, environment, home);
    List<RpcProgram> served =
        Stream.of(
                new Nfs3(files, gate).program(),
                mount.program(),
                new Nlm4(locks, gate, lockManagers).program())
            .map(program -> program.prepared(gate::prepare))
            .toList();
    RpcProgram status = new Nsm1(locks, monitor::state).program();
    List<RpcProgram> programs = Stream.concat(served.stream(), Stream.of(status)).toList();
    watch.start();
    await(watch.known(), JOIN_TIMEOUT_MILLIS);
    awaitExports();
    listener = listen(options.listen(), programs);
    int port = listener.address().getPort();
    List<Registration> ofStatus =
        Stream.concat(
                Registration.of(List.of(status), port).stream(),
                Registration.ofDatagrams(List.of(status), port).stream())
            .toList();
    registrations = Registration.of(served, port);
    beginPortmap(ofStatus);
    List<DatagramServices.Service> small = new ArrayList<>();
    small.add(new DatagramServices.Service(status, port));
    if (options.portmap() == PortmapMode.OWN) {
      small.add(
          new DatagramServices.Service(
              Portmapper.datagrams(registrations, environment.clock()), Portmapper.PORT));
    }
    await(datagrams.start(small), LISTENER_MILLIS);
    // Notified clients reclaim at once, so all else is ready by now.
    await(monitor.start(locks), JOIN_TIMEOUT_MILLIS);
  }

  /** So that a mount right after the start finds what is exported. */
  private void awaitExports() throws IOException {
    try {
      var unused =
          watch.found().toCompletableFuture().get(FIRST_LOOK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("not all exports were found within {} ms; clients will wait", FIRST_LOOK_MILLIS);
    } catch (ExecutionException e) {
      throw WeftException.of(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WeftException(ErrorCode.CANCELLED, "the start was interrupted", e);
    }
  }

  private OncRpcListener listen(Endpoint at, List<RpcProgram> programs) throws IOException {
    InetSocketAddress local = new InetSocketAddress(InetAddress.getByName(at.host()), at.port());
    return await(transport.listen(local, programs), LISTENER_MILLIS);
  }

  /**
   * @param ofStatus the status monitor, as far as the host has none of its own
   */
  private void beginPortmap(List<Registration> ofStatus) throws IOException {
    switch (options.portmap()) {
      case OWN -> {
        registrations = Stream.concat(registrations.stream(), ofStatus.stream()).toList();
        RpcProgram own = new Portmapper(registrations, environment.clock()).program();
        portmapListener =
            Optional.of(
                listen(new Endpoint(options.listen().host(), Portmapper.PORT), List.of(own)));
      }
      case HOST -> {
        HostPortmapper host =
            new HostPortmapper(
                transport,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Portmapper.PORT),
                true,
                home);
        if (!await(host.knows(ofStatus.get(0)), LISTENER_MILLIS)) {
          registrations = Stream.concat(registrations.stream(), ofStatus.stream()).toList();
        }
        await(host.register(registrations), LISTENER_MILLIS);
        hostPortmapper = Optional.of(host);
      }
      case OFF -> {}
    }
  }

  private NfsGatewayRequest.Builder says() {
    OncRpcListener listening = listener;
    NfsGatewayRequest.Builder says = NfsGatewayRequest.newBuilder();
    toldLocks.addTo(says);
    return says.setAddress(advertised(listening).toMessage())
        .setHost(options.host())
        .setStartId(startId)
        .setManagerId(options.manager())
        .addAllClients(clients.rows(mount.mounted()))
        .setCalls(transport.counters().calls())
        // While it does not listen it only asks.
        .setLeaving(listening == null)
        .addAllProblems(cluster.problems())
        .addAllProblems(host.problems());
  }

  private Endpoint advertised(OncRpcListener listening) {
    Endpoint wanted = options.advertised();
    if (wanted.port() != 0) {
      return wanted;
    }
    return new Endpoint(wanted.host(), listening == null ? 1 : listening.address().getPort());
  }

  /** Where it listens, with the real port. */
  public Endpoint address() {
    return new Endpoint(options.listen().host(), listener.address().getPort());
  }

  /** What is in force. */
  public Policy policy() {
    return watch.policy();
  }

  public ProcedureFigures figures() {
    return figures;
  }

  /** Calls of this gateway to its clients. */
  public CallbackFigures callbacks() {
    return callbacks;
  }

  /** Connections, calls and memory. */
  public OncRpcTransport transport() {
    return transport;
  }

  /** How often bytes may have been lost that had been answered UNSTABLE. */
  public long losses() {
    return cluster.losses();
  }

  /**
   * A clean stop: answers what is under way, brings what was written UNSTABLE to stable storage,
   * and says good-bye. Blocks.
   */
  @Override
  public void close() {
    List<CompletionStage<?>> ends = new ArrayList<>();
    hostPortmapper.ifPresent(host -> ends.add(host.unregister(registrations)));
    portmapListener.ifPresent(each -> ends.add(each.stop()));
    if (datagrams != null) {
      ends.add(datagrams.stop());
    }
    if (listener != null) {
      ends.add(listener.stop());
    }
    waitFor("clients have their replies", ends, LISTENER_MILLIS);
    if (watch != null) {
      waitFor("SysMgr knows that this gateway leaves", List.of(watch.leave()), LEAVE_MILLIS);
    }
    release();
  }

  private static void waitFor(String what, List<CompletionStage<?>> ends, int timeoutMillis) {
    try {
      var unused =
          CompletableFuture.allOf(
                  ends.stream()
                      .map(CompletionStage::toCompletableFuture)
                      .toArray(CompletableFuture[]::new))
              .get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("stopping without waiting any longer until {}", what, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Gives everything back; what was written UNSTABLE goes to the OSDs. Blocks. */
  private void release() {
    if (monitor != null) {
      monitor.close();
    }
    transport.close();
    if (locks != null) {
      locks.close();
    }
    cluster.close();
    host.stop();
    lookups.close();
    if (view != null) {
      view.close();
    }
    home.close();
  }

  private static <T> T await(CompletionStage<T> stage, int timeoutMillis) throws IOException {
    try {
      return stage.toCompletableFuture().get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RpcFailedException failure
          ? new WeftException(ErrorCode.UNAVAILABLE, failure.getMessage(), failure)
          : WeftException.of(e);
    } catch (TimeoutException e) {
      throw new WeftException(
          ErrorCode.DEADLINE_EXCEEDED, "the gateway could not be started in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WeftException(ErrorCode.CANCELLED, "the start was interrupted", e);
    }
  }
}
