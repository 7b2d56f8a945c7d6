/** The views behind the first one, in a script of their own that is loaded behind it. */
export { Chat } from "./chat.tsx";
export { HouseView } from "./house-view.tsx";
export { Lists } from "./lists.tsx";
export { Photos } from "./photos.tsx";
export { Story } from "./story.tsx";
