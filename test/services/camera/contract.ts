import { counted, type FamilyContract, HISTORY } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "plants",
  tools: {
    capture_photo: {
      parameters: "include_image?",
      defaults: { include_image: false },
      perPlant: true,
      result: "url timestamp light_on dark",
      role: "agent",
      inCare: true,
      valid: { include_image: true },
      calls: [{}, { include_image: true }],
    },
    get_recent_photos: {
      parameters: "n? offset?",
      defaults: { n: 5, offset: 0 },
      perPlant: true,
      result: "count photos",
      role: "observer",
      valid: { n: 3, offset: 0 },
      calls: [{}, { n: 1 }],
    },
    get_camera_history_bucketed: { ...HISTORY, perPlant: true, calls: counted },
  },
};
