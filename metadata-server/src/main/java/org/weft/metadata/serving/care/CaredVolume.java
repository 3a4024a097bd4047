package org.weft.metadata.serving.care;

import org.weft.client.osd.OsdClient;
import org.weft.client.stripe.StripeEngine;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.flush.Flusher;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Ticker;

/**
 * What of a volume its repairs, its balance and its checks work with.
 *
 * @param osds calls of it, and of the port, complete on the volume's thread
 */
public record CaredVolume(
    PartitionId partition,
    VolumeMachine machine,
    VolumeService service,
    MetadataCache cache,
    TableOsdStates states,
    Flusher flusher,
    OsdPort port,
    OsdClient osds,
    ManagerCapability capability,
    CapabilityMint mint,
    StripeEngine stripes,
    Ticker ticker) {}
