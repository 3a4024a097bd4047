package org.weft.metadata.serving;

import java.util.function.Consumer;
import org.weft.client.osd.OsdClient;
import org.weft.client.stripe.StripeEngine;
import org.weft.metadata.access.VolumeWaits;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.flush.Flusher;
import org.weft.metadata.objects.flush.RoundFlusher;
import org.weft.metadata.objects.load.OsdObjectLoader;
import org.weft.metadata.objects.osd.OsdClientPort;
import org.weft.metadata.serving.care.CareOptions;
import org.weft.metadata.serving.care.SharedCare;
import org.weft.metadata.serving.care.VolumeCare;
import org.weft.metadata.serving.client.ControlConnections;
import org.weft.metadata.serving.client.LostClients;
import org.weft.metadata.serving.client.RecallPusher;
import org.weft.metadata.serving.request.ServingLease;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.sysmgr.SysmgrReports;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;

/**
 * Makes the parts of a volume that is to be served, and joins them. Used by {@link VolumeHost} on
 * the volume's thread, once the machine has its state.
 *
 * @param home the volume's thread
 * @param osds calls of it complete there
 * @param reports of what the volume has carried out, to SysMgr
 * @param controls on which sessions are asked to give ranges back
 * @param waits receives the OSDs that the volume waits for
 * @param options how hard it cares for its files
 * @param shared with the other volumes of the manager
 */
record VolumeAssembly(
    Environment environment,
    VolumeAssignment assignment,
    Scheduler.OwnedExecutor home,
    OsdClient osds,
    StripeEngine stripes,
    CapabilityMint mint,
    ManagerCapability capability,
    TableOsdStates states,
    ServingLease lease,
    SysmgrReports reports,
    ControlConnections controls,
    VolumeWaits waits,
    CareOptions options,
    SharedCare shared) {
  /** What a volume consists of. No part works before the service is told to begin. */
  record Parts(
      VolumeService service,
      Flusher flusher,
      VolumeDuties duties,
      VolumeCare care,
      VolumeStart start) {}

  /**
   * @param status receives what the start waits for
   */
  Parts of(
      VolumeMachine machine, MetadataCache cache, JournalLog journal, Consumer<String> status) {
    OsdPort port = new OsdClientPort(osds, capability::get);
    ObjectLoader loader = new OsdObjectLoader(port, states, environment.ticker());
    VolumeService service =
        new VolumeService(environment, home, machine, cache, journal, loader, lease);
    Scheduler timers = environment.scheduler();
    Flusher flusher =
        new RoundFlusher(cache, port, loader, states, service, environment, home, waits);
    long volumeId = assignment.settings().volume().value();
    VolumeDuties duties =
        new VolumeDuties(volumeId, assignment.epoch(), service, reports, timers, home);
    VolumeCare care =
        new VolumeCare(
            new VolumeCare.Parts(
                environment,
                assignment,
                machine,
                service,
                cache,
                states,
                flusher,
                loader,
                port,
                osds,
                capability,
                mint,
                stripes,
                reports,
                waits),
            home,
            options,
            shared);
    service.onBusy(
        new RecallPusher(assignment.settings().volume(), machine, controls, environment));
    service.addWatcher(
        new LostClients(assignment.settings().volume(), machine, controls, environment.ticker()));
    VolumeStart start =
        new VolumeStart(assignment, machine, cache, loader, service, timers, home, status);
    return new Parts(service, flusher, duties, care, start);
  }
}
