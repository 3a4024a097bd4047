package org.weft.sysmgr.replication.ratis;

import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyServerBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses every call on the port between members that members do not make of each other. Ratis
 * serves its clients and administrators on that port too, without a secret. They could add a member
 * that is sent the whole log, with the join token and the root key in it. SysMgr proposes through
 * the server in its own process, so neither service is needed. A member that is alone takes no call
 * at all. Connections are bounded too, since each takes memory before it calls anything.
 *
 * <p>Calls that members do make of each other are not authenticated yet: without TLS the network is
 * trusted (P 5.7).
 */
final class MembersOnly implements GrpcServices.Customizer, ServerInterceptor {
  private static final Logger LOG = LoggerFactory.getLogger(MembersOnly.class);
  private static final String BETWEEN_MEMBERS = "ratis.grpc.RaftServerProtocolService";

  /** A member makes a few connections to each of the others. */
  static final int MAX_CONNECTIONS = 64;

  /** Without a call; members call each other all the time. */
  private static final long MAX_IDLE_MINUTES = 5;

  private static final long MIN_KEEP_ALIVE_SECONDS = 10;

  private final BooleanSupplier alone;

  /**
   * @param alone asked at each call: this is the only member, and no other is being added
   */
  MembersOnly(BooleanSupplier alone) {
    this.alone = alone;
  }

  @Override
  public NettyServerBuilder customize(
      NettyServerBuilder builder, EnumSet<GrpcServices.Type> types) {
    return builder
        .intercept(this)
        .protocolNegotiator(new ConnectionBound(MAX_CONNECTIONS))
        .maxConnectionIdle(MAX_IDLE_MINUTES, TimeUnit.MINUTES)
        .permitKeepAliveTime(MIN_KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public <A, B> ServerCall.Listener<A> interceptCall(
      ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
    String service = call.getMethodDescriptor().getServiceName();
    boolean single = alone.getAsBoolean();
    if (!single && BETWEEN_MEMBERS.equals(service)) {
      return next.startCall(call, headers);
    }
    LOG.debug("refused a call of {} from {}", service, call.getAttributes());
    call.close(
        Status.PERMISSION_DENIED.withDescription(
            single
                ? "this SysMgr has one member and takes no calls here; use its RPC port"
                : "this port is for the other SysMgr members alone; use the RPC port"),
        new Metadata());
    return new ServerCall.Listener<>() {};
  }
}
