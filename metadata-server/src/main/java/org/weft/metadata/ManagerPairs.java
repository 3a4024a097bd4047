package org.weft.metadata;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.weft.metadata.backup.BackupLinks;
import org.weft.metadata.backup.CopyTurns;
import org.weft.metadata.backup.KnownManagers;
import org.weft.metadata.backup.PairReports;
import org.weft.metadata.backup.Pairing;
import org.weft.metadata.serving.Pairings;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * Makes the backups of a manager's volumes. {@link VolumeKeeper} uses it.
 *
 * @param copying for what blocks
 * @param secret made from the join token
 * @param wanted volumes get a backup where there is another manager
 */
record ManagerPairs(
    Environment environment,
    Executor copying,
    CopyTurns turns,
    Supplier<ManagerIdentity> identity,
    byte[] secret,
    boolean wanted,
    PairReports reports,
    KnownManagers known)
    implements Pairings {
  @Override
  public Pairing of(VolumeAssignment assignment, OwnedExecutor home, Consumer<String> deposed) {
    return new Pairing(
        new Pairing.Terms(
            assignment.settings().volume().value(),
            assignment.epoch(),
            identity.get().managerId(),
            assignment.backup(),
            wanted,
            assignment.settings().superuser()),
        new BackupLinks(
            environment,
            copying,
            turns,
            () -> identity.get().cluster(),
            identity.get().name(),
            secret),
        reports,
        known,
        home,
        deposed);
  }
}
