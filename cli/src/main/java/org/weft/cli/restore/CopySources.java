package org.weft.cli.restore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.OneCall;
import org.weft.protocol.wire.GetConfigurationCopyReply;
import org.weft.protocol.wire.GetConfigurationCopyRequest;
import org.weft.sysmgr.configuration.restore.Restoration;
import org.weft.sysmgr.configuration.restore.SealedCopy;

/** Where copies of the configuration are found: OSDs that run, and data directories of OSDs. */
final class CopySources {
  private static final String FILE = "configuration-copy";
  private static final int CALL_MILLIS = 5_000;

  private final Environment environment;
  private final List<SealedCopy> copies = new ArrayList<>();
  private final List<Restoration.Witness> witnesses = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  CopySources(Environment environment) {
    this.environment = environment;
  }

  List<SealedCopy> copies() {
    return copies;
  }

  /** What the OSDs that answered know. */
  List<Restoration.Witness> witnesses() {
    return witnesses;
  }

  /** Why some gave nothing, one sentence each. */
  List<String> failures() {
    return failures;
  }

  /** The newest copy that was found. */
  Optional<SealedCopy> newest() {
    return copies.stream()
        .reduce(
            (one, other) ->
                one.configuration().version() >= other.configuration().version() ? one : other);
  }

  void read(Path directory) {
    Path file = directory.resolve(FILE);
    try {
      if (Files.exists(file)) {
        copies.add(SealedCopy.read(Files.readAllBytes(file)));
      } else {
        failures.add(directory + " holds no copy");
      }
    } catch (IOException e) {
      failures.add(file + ": " + e.getMessage());
    }
  }

  void ask(Endpoint osd, byte[] joinToken) {
    try {
      GetConfigurationCopyReply reply = call(osd, joinToken);
      SortedMap<PartitionId, Long> fences = new TreeMap<>();
      reply
          .getPartitionsList()
          .forEach(
              each -> fences.put(new PartitionId(each.getPartitionId()), each.getFenceEpoch()));
      witnesses.add(new Restoration.Witness(reply.getOsdId(), reply.getIdentity(), fences));
      if (reply.getConfigurationCopy().isEmpty()) {
        failures.add(osd + " holds no copy");
      } else {
        SealedCopy copy = SealedCopy.read(reply.getConfigurationCopy().toByteArray());
        requireToken(copy, joinToken);
        copies.add(copy);
      }
    } catch (IOException e) {
      failures.add(osd + ": " + e.getMessage());
    }
  }

  /** Whatever listens at that address could have made a copy with a token of its own. */
  private static void requireToken(SealedCopy copy, byte[] joinToken) throws IOException {
    byte[] own = copy.configuration().cluster().orElseThrow().joinToken().bytes();
    if (!MessageDigest.isEqual(own, joinToken)) {
      throw new IOException(
          "its copy is not signed with this cluster's join token, so it does not count; name the"
              + " data directory of that OSD if it is one of this cluster");
    }
  }

  private GetConfigurationCopyReply call(Endpoint osd, byte[] joinToken) throws IOException {
    RpcRequest request =
        RpcRequest.signed(
            Opcode.GET_CONFIGURATION_COPY,
            GetConfigurationCopyRequest.getDefaultInstance(),
            CALL_MILLIS,
            JoinSecret.of(joinToken));
    return OneCall.await(environment.transport(), osd, "restore", CALL_MILLIS, request)
        .parse(GetConfigurationCopyReply.parser());
  }
}
